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
package io.dstl.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {
    /** As flink-s3-fs-hadoop and flink-s3-fs-presto fail: the one in a text, the other below. */
    @Test
    void namesTheOptionsWhereThePoolIsTooSmall() {
        String said = "Unable to execute HTTP request: Timeout waiting for connection from pool";
        assertThat(ConnectionPool.remedy(new InterruptedIOException("getFileStatus: " + said)))
                .get()
                .asString()
                .contains("--threads", "fs.s3a.connection.maximum");
        assertThat(ConnectionPool.remedy(new IOException(new RuntimeException(said)))).isPresent();
    }

    @Test
    void saysNothingOfOtherFailures() {
        assertThat(ConnectionPool.remedy(new IOException("Access denied"))).isEmpty();
        assertThat(ConnectionPool.remedy(new IOException())).isEmpty();
    }
}
