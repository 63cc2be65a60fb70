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

import io.dstl.store.s3.config.S3FileSystemKind;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Where requests go, and what has to be trusted there. */
class S3AddressesTest {

    /** A host's name has no capitals, so that would be another bucket. */
    @ParameterizedTest
    @CsvSource({
        "b-1, https://b-1.s3.us-east-1.amazonaws.com/k",
        "MyBucket, https://s3.us-east-1.amazonaws.com/MyBucket/k",
        "my_bucket, https://s3.us-east-1.amazonaws.com/my_bucket/k",
        "-b, https://s3.us-east-1.amazonaws.com/-b/k",
        "a.b, https://s3.us-east-1.amazonaws.com/a.b/k"
    })
    void putsNoBucketIntoTheHostWhoseNameIsNone(String bucket, String url) throws Exception {
        S3Settings settings =
                S3Settings.from(
                        new Configuration(), S3FileSystemKind.PRESTO, new GivenEnvironment());
        assertThat(new S3Object.S3Addresses(settings).of(bucket, "k", settings.region()))
                .hasToString(url);
    }

    @ParameterizedTest
    @EnumSource(
            value = S3FileSystemKind.class,
            names = {"PRESTO", "HADOOP"})
    void standsBackWhereCertificatesAreNotChecked(S3FileSystemKind kind) throws Exception {
        String property = "com.amazonaws.sdk.disableCertChecking";
        GivenEnvironment environment = new GivenEnvironment().withProperty(property, "true");
        assertThatThrownBy(() -> S3Settings.from(new Configuration(), kind, environment))
                .hasMessageContaining(property);
        environment.withProperty(property, "");
        assertThatThrownBy(() -> S3Settings.from(new Configuration(), kind, environment))
                .as("-D without a value")
                .hasMessageContaining(property);
        environment.withProperty(property, "false");
        assertThat(S3Settings.from(new Configuration(), kind, environment).virtualHosts()).isTrue();
    }
}
