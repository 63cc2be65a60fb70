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

import static io.dstl.tools.inspect.WrittenLog.log;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.docs.ShownOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The output in docs/operations.md is what the command prints: {@code mvn test -pl tools -am
 * -Dtest=InspectDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true} writes it anew.
 */
class InspectDocsTest {
    private static final long NOW = Duration.ofDays(20_000).toMillis();
    private static final long WRITTEN = NOW - Duration.ofMinutes(9).toMillis();

    /** Of each operator: what is materialized. */
    private static final int BASE_BYTES = 60_000;

    @TempDir private Path root;

    /** One operator writes the same few keys again and again, the other new ones. */
    @Test
    void theDocsShowWhatIsPrinted() throws IOException {
        WrittenLog log = new WrittenLog(root, WRITTEN);
        List<byte[][]> sets = new ArrayList<>();
        for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
            List<byte[]> hot = new ArrayList<>();
            List<byte[]> cold = new ArrayList<>();
            if (checkpoint == 0) {
                hot.add(Records.describe(0, "last-seen", Type.VALUE, StringSerializer.INSTANCE));
                cold.add(
                        Records.describe(
                                0,
                                "visits",
                                Type.MAP,
                                new MapSerializer<>(
                                        StringSerializer.INSTANCE, LongSerializer.INSTANCE)));
            }
            for (int i = 0; i < 150; i++) {
                hot.add(Records.set(0, "plane-" + i, "2024-01-01 12:00:0" + checkpoint));
                String key = "passenger-" + checkpoint + "-" + i;
                cold.add(Records.put(0, key, "gate-" + i % 7, i));
            }
            sets.add(hot.toArray(new byte[0][]));
            sets.add(cold.toArray(new byte[0][]));
        }
        WrittenLog.Indexed shared = log.indexed("shared", false, sets.subList(0, 4));
        WrittenLog.Indexed own = log.indexed("own", false, sets.subList(4, 5));
        WrittenLog.Indexed last = log.indexed("last", false, sets.subList(5, 6));
        Path checkpoint =
                log.checkpoint(
                        WrittenLog.changelog(
                                WrittenLog.base(BASE_BYTES),
                                log(
                                        own.handle.getStateSize() * 3,
                                        shared.handle,
                                        shared.offsets.get(0),
                                        shared.handle,
                                        shared.offsets.get(2),
                                        own.handle,
                                        own.offsets.get(0))),
                        WrittenLog.changelog(
                                WrittenLog.base(BASE_BYTES),
                                log(
                                        last.handle.getStateSize() * 3,
                                        shared.handle,
                                        shared.offsets.get(1),
                                        shared.handle,
                                        shared.offsets.get(3),
                                        last.handle,
                                        last.offsets.get(0))));

        InspectRun run = InspectRun.of(root, () -> NOW, checkpoint.toString(), "--top", "3");
        assertThat(run.exitCode).as(run.err).isZero();
        new ShownOutput("inspect", InspectDocsTest.class)
                .assertShows(run.out.replace("file:" + root, "s3://bucket"));

        Path file = log.directory().resolve(InspectFixture.nameOf(last.handle));
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        InspectRun damaged = InspectRun.of(root, () -> NOW, checkpoint.toString(), "--top", "3");
        assertThat(damaged.exitCode).as(damaged.err).isEqualTo(1);
        new ShownOutput("inspect of a flipped bit", InspectDocsTest.class)
                .assertShows(
                        damaged.out
                                .lines()
                                .filter(line -> line.startsWith("can't be read: "))
                                .collect(Collectors.joining("\n"))
                                .replace("file:" + root, "s3://bucket"));
    }
}
