/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What leads the SDK of Flink's native file system to another endpoint than Flink's keys do. */
class NativeEndpointTest {

    @TempDir Path directory;

    private final Configuration config = new Configuration();
    private final GivenEnvironment environment = new GivenEnvironment();

    private S3Settings settings(S3FileSystemKind kind) throws UnsupportedS3Exception {
        return S3Settings.from(config, kind, environment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})
    void standsBackFromAnEndpointInTheEnvironment(String variable) throws Exception {
        environment.withVariable(variable, "http://user:pass-word@store:9000");

        assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining(variable + " is set")
                .hasMessageContaining("Set s3.endpoint")
                .hasMessageNotContaining("pass-word");
        assertThat(settings(S3FileSystemKind.PRESTO).endpoint().host())
                .as("host for a file system with the first SDK")
                .isEqualTo("s3.amazonaws.com");
        config.setString("s3.endpoint", "http://store:9000");
        assertThat(settings(S3FileSystemKind.NATIVE).endpoint().host()).isEqualTo("store");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3.endpoint", "aws.endpointUrlS3", "aws.endpointUrl"})
    void standsBackFromAnEndpointInTheSystemProperties(String property) throws Exception {
        environment.withProperty(property, "http://store:9000");

        assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                .hasMessageContaining("the system property " + property + " is set");
        config.setString("s3.endpoint", "http://store:9000");
        assertThat(settings(S3FileSystemKind.NATIVE).endpoint().host()).isEqualTo("store");
    }

    /** Also where an endpoint is configured. */
    @ParameterizedTest
    @CsvSource({
        "AWS_USE_FIPS_ENDPOINT, -",
        "AWS_USE_DUALSTACK_ENDPOINT, -",
        "-, aws.useFipsEndpoint",
        "-, aws.useDualstackEndpoint",
        "-, s3.path.style.access"
    })
    void standsBackFromAnotherKindOfEndpoint(String variable, String property) throws Exception {
        config.setString("s3.endpoint", "http://store:9000");
        environment.withVariable(variable, "false").withProperty(property, "false");
        assertThat(settings(S3FileSystemKind.NATIVE).endpoint().host()).isEqualTo("store");

        environment.withVariable(variable, "true").withProperty(property, "true");
        assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining((variable.equals("-") ? property : variable) + " is set");
    }

    @ParameterizedTest
    @CsvSource({
        "endpoint_url = http://store:9000, endpoint_url",
        "endpoint_url=http://store:9000, endpoint_url",
        "use_fips_endpoint = true, use_fips_endpoint",
        "region = eu-west-1, -",
        "use_dualstack_endpoint = false, -"
    })
    void standsBackFromAnEndpointInTheProfile(String line, String found) throws Exception {
        Path file = directory.resolve("config");
        Files.writeString(file, "[default]\noutput = json\n  " + line + "\n");
        environment.withVariable("AWS_CONFIG_FILE", file.toString());

        if (found.equals("-")) {
            assertThat(settings(S3FileSystemKind.NATIVE).endpoint().host())
                    .isEqualTo("s3.amazonaws.com");
        } else {
            assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                    .hasMessageContaining(found + " in " + file + " is set");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"config", "credentials"})
    void looksForTheProfileInTheHomeDirectory(String name) throws Exception {
        Path file = Files.createDirectory(directory.resolve(".aws")).resolve(name);
        Files.writeString(file, "endpoint_url = http://store:9000");
        environment.withProperty("user.home", directory.toString());

        assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                .hasMessageContaining("endpoint_url in " + file);
        environment.withVariable("HOME", directory.resolve("another").toString());
        assertThat(settings(S3FileSystemKind.NATIVE).endpoint().host())
                .isEqualTo("s3.amazonaws.com");
    }

    @Test
    void looksForTheProfileWhereTheSdkIsToldTo() throws Exception {
        Path file = directory.resolve("shared");
        Files.writeString(file, "endpoint_url = http://store:9000");
        environment
                .withVariable("HOME", directory.toString())
                .withVariable("AWS_CONFIG_FILE", "/nowhere")
                .withProperty("aws.configFile", "~/shared");

        assertThatThrownBy(() -> settings(S3FileSystemKind.NATIVE))
                .hasMessageContaining("endpoint_url in " + file);
    }

    @ParameterizedTest
    @CsvSource({
        "eu-west-1, https://b.s3.eu-west-1.amazonaws.com/k",
        "us-gov-west-1, https://b.s3.us-gov-west-1.amazonaws.com/k",
        "cn-north-1, https://b.s3.cn-north-1.amazonaws.com.cn/k"
    })
    void goesToTheHostOfTheRegion(String region, String url) throws Exception {
        environment.withVariable("AWS_REGION", region);
        S3Settings settings = settings(S3FileSystemKind.PRESTO);

        assertThat(new S3Object.S3Addresses(settings).of("b", "k", settings.region()))
                .hasToString(url);
    }

    @ParameterizedTest
    @ValueSource(strings = {"us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "eusc-de-east-1"})
    void standsBackFromARegionWithHostsOfAnotherName(String region) {
        environment.withVariable("AWS_REGION", region);

        assertThatThrownBy(() -> settings(S3FileSystemKind.PRESTO))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining("region " + region)
                .hasMessageContaining("Set s3.endpoint");
    }

    @ParameterizedTest
    @CsvSource({
        "s3://b/k, true",
        "s3a://b/k, true",
        "s3://key:secret@b/k, false",
        "s3://key@b/k, false",
        "file:///b/k, false"
    })
    void reachesWhatNeedsNoOtherCredentials(String path, boolean reached) {
        assertThat(S3Object.isReachable(new org.apache.flink.core.fs.Path(path)))
                .isEqualTo(reached);
    }
}
