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

import static org.apache.flink.util.concurrent.Executors.newDirectExecutorServiceWithNoOpShutdown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.RefusedException;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.s3.auth.RenewedCredentials;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.Credentials;
import io.minio.credentials.StaticProvider;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import okhttp3.OkHttpClient;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The store refuses credentials before the end that the service has told. */
class RefusedCredentialsTest {
    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();

    private final List<String> refused = new ArrayList<>();
    private volatile String present = "first";

    private FSDataInputStream open() {
        return loopback.reader(
                S3Access.http(
                        LoopbackStore.settings(loopback.configuration()),
                        newDirectExecutorServiceWithNoOpShutdown()),
                () -> new Credentials(present, "secret", "token", null),
                used -> {
                    refused.add(used.accessKey());
                    return !used.accessKey().equals(present);
                });
    }

    private void refuse(int status, String code) {
        loopback.server()
                .next(
                        exchange -> {
                            present = "second";
                            LoopbackS3.error(status, code).give(exchange);
                        });
    }

    private void answer() {
        loopback.server().next(LoopbackS3.answer(200, "x"));
    }

    @ParameterizedTest
    @CsvSource({"400,ExpiredToken", "403,InvalidAccessKeyId", "403,InvalidTokenId"})
    void aRequestIsSignedAnewOnceThereAreOthers(int status, String code) throws Exception {
        refuse(status, code);
        answer();

        try (FSDataInputStream content = open()) {
            assertThat(content.read()).isEqualTo('x');
        }
        assertThat(refused).containsExactly("first");
        assertThat(loopback.server().headers(1).get("Authorization").get(0))
                .contains("Credential=second/");
    }

    @Test
    void isRefusedWhereThereAreNone() throws Exception {
        loopback.server().next(LoopbackS3.error(400, "ExpiredToken"));

        try (FSDataInputStream content = open()) {
            assertThatThrownBy(content::read)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("400 ExpiredToken");
        }
        assertThat(refused).containsExactly("first");
    }

    /** The service may have others in a while. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPutIsRefusedForGoodWhereTheyAreNotRenewed(boolean renewed) {
        loopback.server().next(LoopbackS3.error(400, "ExpiredToken"));
        SegmentStore store =
                loopback.store(
                        new StaticProvider("key", "secret", "token"),
                        LoopbackStore.refusals(renewed),
                        new JobID(1, 2));

        assertThatThrownBy(store.put("one", out -> out.write(1), PutListener.NONE)::get)
                .hasMessageContaining("400 ExpiredToken")
                .satisfies(e -> assertThat(RefusedException.isIn(e)).isNotEqualTo(renewed));
    }

    @Test
    void otherRefusalsAreNotOfTheCredentials() throws Exception {
        loopback.server().next(LoopbackS3.error(403, "AccessDenied"));

        try (FSDataInputStream content = open()) {
            assertThatThrownBy(content::read).isInstanceOf(IOException.class);
        }
        assertThat(refused).isEmpty();
    }

    /** Waiting for them is of no use, unless a service may have some later. */
    @ParameterizedTest
    @CsvSource({
        "EnvironmentVariableCredentialsProvider, 404, true",
        "ContainerCredentialsProvider, 404, false",
        "ContainerCredentialsProvider, 503, false"
    })
    void missingOnesAreARefusal(String place, int status, boolean isRefusal) throws Exception {
        Configuration config = new Configuration();
        config.setString(
                "s3.aws.credentials.provider", "software.amazon.awssdk.auth.credentials." + place);
        GivenEnvironment environment =
                new GivenEnvironment()
                        .withVariable(
                                "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                loopback.server().endpoint() + "/agent");
        S3Settings settings = S3Settings.from(config, S3FileSystemKind.HADOOP, environment);
        OkHttpClient http = new OkHttpClient();
        RenewedCredentials missing =
                settings.credentials()
                        .open(
                                http,
                                environment,
                                () -> Instant.EPOCH,
                                new ManualTimer(),
                                Runnable::run);
        S3Client client =
                new S3Client(settings, missing, missing, http, new StoreClock(() -> Instant.EPOCH));
        loopback.server().next(LoopbackS3.answer(status, ""));

        assertThatThrownBy(() -> client.delete(S3Object.of(new Path("s3://bucket/one"))))
                .hasMessageContaining("No credentials for S3")
                .satisfies(e -> assertThat(RefusedException.isIn(e)).isEqualTo(isRefusal));
    }
}
