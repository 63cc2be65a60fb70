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
package io.dstl.secret;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.secret.Redaction.Redacted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactedTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://AKIA:S3CRET@bucket/log",
                "s3://AKIA:S3CRET@my_bucket/log",
                "s3://AKIA:S3/CRET@bucket/log",
                "s3://AKIA:S3@CRET@bucket/log",
                "s3://AKIAS3CRET@bucket",
                "S3A://AKIA:S3CRET@bucket/log?x=1",
                "Cannot write 's3://AKIA:S3CRET@bucket/a' and \"hdfs://AKIA:S3CRET@name:8020/b\"",
                "ftp://AKIA:S3CRET%2F@host:21/x",
                "abfss://AKIA:S3CRET@account.dfs.core.windows.net/x",
                "s3:///AKIA:S3CRET@bucket/log",
                "file:///a,s3://AKIA:S3CRET@bucket/log;s3://AKIA:S3CRET@bucket",
            })
    void hidesCredentials(String text) {
        assertThat(Redacted.text(text)).contains("***@").doesNotContain("AKIA", "CRET");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://bucket/job@home/log",
                "file:/tmp/user@host/log",
                "hdfs://namenode:8020/a@b",
                "http://[::1]:9000/a@b",
                "mail me@home",
                "abfss://container@account.dfs.core.windows.net/log",
                "abfs://container@account.dfs.core.windows.net/a:b@c",
                "WASBS://container@account.blob.core.windows.net",
                "file:/user@host/log",
                "hdfs:///user@host/log",
                "no URI",
                "",
            })
    void leavesTheRestAlone(String text) {
        assertThat(Redacted.text(text)).isEqualTo(text);
    }

    @Test
    void keepsWhatIsAroundThem() {
        assertThat(Redacted.of("at s3://u:p@b/x, twice: s3://u:p@b/$1"))
                .hasToString("at s3://***@b/x, twice: s3://***@b/$1");
    }
}
