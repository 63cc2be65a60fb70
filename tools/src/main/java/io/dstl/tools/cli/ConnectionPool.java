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

import java.util.Optional;
import org.apache.flink.util.ExceptionUtils;

/** Tells a store in trouble from a client that has fewer connections than there are threads. */
public final class ConnectionPool {
    /** As Apache's HTTP client says it, in each of Flink's plugins for S3. */
    private static final String SAID = "Timeout waiting for connection from pool";

    private ConnectionPool() {}

    /** What to do about it; empty if something else is at fault. */
    public static Optional<String> remedy(Throwable failure) {
        return ExceptionUtils.findThrowableWithMessage(failure, SAID)
                .map(
                        found ->
                                "give fewer --threads than fs.s3a.connection.maximum"
                                        + " (flink-s3-fs-presto: s3.max-connections,"
                                        + " flink-s3-fs-native: s3.connection.max), or raise that"
                                        + " by -D");
    }
}
