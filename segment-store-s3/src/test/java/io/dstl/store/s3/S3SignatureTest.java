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

import io.minio.Signer;
import io.minio.Time;
import io.minio.credentials.Credentials;
import java.time.Instant;
import java.util.Random;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;

/** By the examples that AWS has published, and beside MinIO's client. */
class S3SignatureTest {

    private static final Credentials AWS_EXAMPLE =
            new Credentials(
                    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", null, null);

    private static final Instant AWS_TIME = Instant.parse("2013-05-24T00:00:00Z");

    private static String signature(Request.Builder request, String payloadHash) throws Exception {
        Request signed =
                S3Signature.sign(request.build(), "us-east-1", AWS_EXAMPLE, payloadHash, AWS_TIME);
        return signed.header("Authorization").replaceAll(".*Signature=", "");
    }

    @Test
    void signsAsAwsDoesInItsExamples() throws Exception {
        String bucket = "https://examplebucket.s3.amazonaws.com/";

        assertThat(
                        signature(
                                new Request.Builder()
                                        .url(bucket + "test.txt")
                                        .header("Range", "bytes=0-9"),
                                S3Signature.NO_PAYLOAD))
                .isEqualTo("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        assertThat(
                        signature(
                                new Request.Builder()
                                        .url(bucket + "test%24file.text")
                                        .header("Date", "Fri, 24 May 2013 00:00:00 GMT")
                                        .header("x-amz-storage-class", "REDUCED_REDUNDANCY")
                                        .put(RequestBody.create(new byte[0], null)),
                                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"))
                .isEqualTo("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
        assertThat(
                        signature(
                                new Request.Builder().url(bucket + "?lifecycle"),
                                S3Signature.NO_PAYLOAD))
                .isEqualTo("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        assertThat(
                        signature(
                                new Request.Builder().url(bucket + "?max-keys=2&prefix=J"),
                                S3Signature.NO_PAYLOAD))
                .isEqualTo("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    @Test
    void signsAsMinioDoes() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            Request request =
                    S3Signature.sign(
                            new Request.Builder()
                                    .url(
                                            "http://[::1]:"
                                                    + (1 + random.nextInt(9))
                                                    + "/b/"
                                                    + i
                                                    + "?delete=")
                                    .header("Content-MD5", "a  b" + random.nextInt())
                                    .header("Accept-Encoding", "identity")
                                    .header("User-Agent", "one")
                                    .build(),
                            "eu-west-" + i,
                            new Credentials("key", "secret" + i, i % 2 == 0 ? "token" : null, null),
                            S3Signature.UNSIGNED_PAYLOAD,
                            AWS_TIME.plusSeconds(random.nextInt(1 << 30)));
            String ours = request.header("Authorization");
            assertThat(Time.AMZ_DATE_FORMAT.parse(request.header("x-amz-date"))).isNotNull();

            Request theirs =
                    Signer.signV4S3(
                            request.newBuilder().removeHeader("Authorization").build(),
                            "eu-west-" + i,
                            "key",
                            "secret" + i,
                            S3Signature.UNSIGNED_PAYLOAD);

            assertThat(ours).as("request " + i).isEqualTo(theirs.header("Authorization"));
        }
    }
}
