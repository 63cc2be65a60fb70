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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottledExceptionTest {

    /** As Hadoop's S3A names it. */
    private static final class AWSServiceThrottledException extends IOException {}

    @Test
    void knowsTheStoresOwn() {
        ThrottledException wish = new ThrottledException("PUT: 503", null);

        assertThat(ThrottledException.isIn(wish)).isTrue();
        assertThat(ThrottledException.isIn(new CompletionException(new IOException("put", wish))))
                .isTrue();
    }

    @Test
    void knowsTheClassByItsName() {
        assertThat(ThrottledException.isIn(new IOException(new AWSServiceThrottledException())))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Please reduce your request rate. (Service: Amazon S3; Status Code: 503; Error"
                        + " Code: SlowDown; Request ID: 1; S3 Extended Request ID: 2; Proxy: null)",
                "null (Service: S3, Status Code: 503, Request ID: 1)",
                "Service Unavailable (Service: Amazon S3; Status Code: 503; Error Code: 503 Service"
                        + " Unavailable)",
                "429 Too Many Requests",
                "Operation failed: \"The server is busy\", 503, PUT, https://a.dfs, ServerBusy",
            })
    void knowsWhatClientsSay(String message) {
        assertThat(
                        ThrottledException.isIn(
                                new IOException("upload", new RuntimeException(message))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Internal Error (Service: Amazon S3; Status Code: 500; Error Code: InternalError)",
                "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)",
                "Read timed out after 503 ms",
                "s3://bucket/429/dstl/segment: no such file",
            })
    void takesNothingElseForIt(String message) {
        assertThat(ThrottledException.isIn(new IOException(message))).isFalse();
    }

    @Test
    void needsNoMessage() {
        assertThat(ThrottledException.isIn(new IOException())).isFalse();
    }
}
