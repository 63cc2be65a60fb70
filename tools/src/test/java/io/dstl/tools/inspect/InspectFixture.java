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
package io.dstl.tools.inspect;

import static io.dstl.tools.inspect.Records.describe;
import static io.dstl.tools.inspect.Records.put;
import static io.dstl.tools.inspect.Records.set;
import static io.dstl.tools.inspect.WrittenLog.changelog;
import static io.dstl.tools.inspect.WrittenLog.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two operators: the first in segments of Flink's own and of dstl's, the second in dstl's. */
abstract class InspectFixture {
    static final long NOW = Duration.ofDays(20_000).toMillis();
    static final long WRITTEN = NOW - Duration.ofHours(3).toMillis();

    static final byte[] NAME = describe(1, "name", Type.VALUE, StringSerializer.INSTANCE);
    static final byte[] VISITS =
            describe(
                    2,
                    "visits",
                    Type.MAP,
                    new MapSerializer<>(StringSerializer.INSTANCE, LongSerializer.INSTANCE));

    static final String FIRST = "00000000000000000000000000000001";
    static final String SECOND = "00000000000000000000000000000002";

    @TempDir Path root;

    WrittenLog log;
    StreamStateHandle first;
    StreamStateHandle second;
    WrittenLog.Indexed third;
    Path checkpoint;

    @BeforeEach
    void aCheckpoint() throws IOException {
        log = new WrittenLog(root, WRITTEN);
        first =
                log.plain(
                        "first",
                        NAME,
                        VISITS,
                        set(1, "anna", "A"),
                        set(1, "bert", "B"),
                        set(1, "cleo", "C"),
                        put(2, "anna", "home", 1));
        second = log.plain("second", set(1, "anna", "A2"), put(2, "anna", "home", 2));
        third =
                log.indexed(
                        "third",
                        true,
                        List.of(
                                new byte[][] {set(1, "bert", "B3"), put(2, "anna", "work", 3)},
                                new byte[][] {NAME, set(1, "dora", "D"), set(1, "emil", "E")}));
        checkpoint =
                log.checkpoint(
                        changelog(log(300, first, 0L, second, 0L, third.handle, offset(0))),
                        changelog(log(40, third.handle, offset(1))));
    }

    Long offset(int set) {
        return third.offsets.get(set);
    }

    static String nameOf(StreamStateHandle handle) {
        String key = handle.getStreamStateHandleID().getKeyString();
        return key.substring(key.lastIndexOf('/') + 1);
    }

    InspectRun run(String... options) throws IOException {
        return InspectRun.of(root, () -> NOW, options);
    }
}
