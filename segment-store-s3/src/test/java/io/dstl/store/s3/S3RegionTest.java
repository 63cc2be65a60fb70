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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions that the endpoint, the configuration or the environment names. */
class S3RegionTest {

    private static String region(
            S3FileSystemKind kind, Map<String, String> environment, String... keysAndValues)
            throws UnsupportedS3Exception {
        return S3SettingsTest.settings(kind, environment, keysAndValues).region();
    }

    private static String region(String endpoint, Map<String, String> environment)
            throws UnsupportedS3Exception {
        return region(S3FileSystemKind.PRESTO, environment, "s3.endpoint", endpoint);
    }

    @ParameterizedTest
    @CsvSource({
        "https://store.example.com, us-east-1",
        "https://s3.eu-west-1.amazonaws.com, eu-west-1",
        "https://s3-eu-west-1.amazonaws.com, eu-west-1",
        "https://s3.dualstack.ap-southeast-2.amazonaws.com, ap-southeast-2",
        "https://s3.us-gov-west-1.amazonaws.com, us-gov-west-1",
        "https://s3.cn-north-1.amazonaws.com.cn, cn-north-1"
    })
    void readsTheRegionFromTheEndpoint(String endpoint, String region) throws Exception {
        assertThat(region(S3FileSystemKind.HADOOP, Map.of(), "s3.endpoint", endpoint))
                .isEqualTo(region);
    }

    @Test
    void prefersTheConfiguredRegionThenTheEnvironments() throws Exception {
        Map<String, String> environment = Map.of("AWS_REGION", "eu-north-1");

        assertThat(region(S3FileSystemKind.HADOOP, environment)).isEqualTo("eu-north-1");
        assertThat(
                        region(
                                S3FileSystemKind.HADOOP,
                                environment,
                                "fs.s3a.endpoint.region",
                                "eu-west-3"))
                .isEqualTo("eu-west-3");
    }

    /** As a file gives it that a pod's environment is made of. */
    @ParameterizedTest
    @ValueSource(strings = {"", "http://store:9000"})
    void takesARegionWithoutTheWhiteSpaceAroundIt(String endpoint) throws Exception {
        assertThat(region(endpoint, Map.of("AWS_REGION", "eu-north-1\n"))).isEqualTo("eu-north-1");
        assertThat(region(endpoint, Map.of("AWS_REGION", " ", "AWS_DEFAULT_REGION", "eu-west-3 ")))
                .isEqualTo("eu-west-3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://store:9000"})
    void standsBackFromWhatNamesNoRegion(String endpoint) {
        for (String variable : List.of("AWS_REGION", "AWS_DEFAULT_REGION")) {
            assertThatThrownBy(() -> region(endpoint, Map.of(variable, "eu north")))
                    .isInstanceOf(UnsupportedS3Exception.class)
                    .hasMessage(
                            "the environment variable %s is eu north, which names no region."
                                    + " Set it to a region such as eu-west-1",
                            variable);
        }
        assertThatThrownBy(
                        () ->
                                region(
                                        S3FileSystemKind.HADOOP,
                                        Map.of(),
                                        "s3.endpoint",
                                        endpoint,
                                        "fs.s3a.endpoint.region",
                                        "eu north"))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining("fs.s3a.endpoint.region is eu north, which names no region");
    }

    /** The region of STS, where the store's is configured. */
    @Test
    void standsBackFromAWebIdentityInWhatNamesNoRegion() {
        Map<String, String> pod =
                Map.of("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/token", "AWS_REGION", "eu north");

        assertThatThrownBy(() -> region("https://s3.eu-west-1.amazonaws.com", pod))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining("AWS_REGION is eu north, which names no region");
    }
}
