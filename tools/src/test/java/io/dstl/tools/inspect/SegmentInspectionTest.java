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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentInspectionTest {
    private static final int IN_THE_FIRST_SET = 20;

    private final byte[] description =
            Records.describe(1, "name", StateDescriptor.Type.VALUE, StringSerializer.INSTANCE);

    @TempDir private Path root;

    @Test
    void aSetThatCannotBeReadFromItsFirstByteOnCounts() throws IOException {
        WrittenLog log = new WrittenLog(root, 0);
        byte[][] set = {description, Records.set(1, "anna", "A"), Records.set(1, "bert", "B")};
        StreamStateHandle segment = log.indexed("segment", false, List.of(set, set)).handle;
        Path file = log.directory().resolve(((FileStateHandle) segment).getFilePath().getName());
        byte[] bytes = Files.readAllBytes(file);
        bytes[IN_THE_FIRST_SET] ^= 1;
        Files.write(file, bytes);

        InspectRun run = InspectRun.of(root, () -> 0, file.toString(), "--json", "--top", "1");
        assertThat(run.exitCode).isEqualTo(1);
        JsonNode found = run.json();
        assertThat(found.get("changeSets").asInt()).isEqualTo(1);
        assertThat(found.get("sets")).hasSize(1);
        assertThat(found.get("setsLeftOut").asInt()).isZero();
    }

    /** Two keys are too few for a guess. */
    @Test
    void anOperatorWhoseKeysAreNotReadIsNamedOnceForAllItsSubtasks() throws IOException {
        WrittenLog log = new WrittenLog(root, 0);
        StreamStateHandle segment = log.plain("segment", description, Records.set(1, "anna", "A"));
        var handle = WrittenLog.changelog(WrittenLog.log(1, segment, 0L));
        Path checkpoint = log.checkpoint(3, handle, handle);

        JsonNode found =
                InspectRun.of(
                                root,
                                () -> 0,
                                checkpoint.toString(),
                                "--json",
                                "--state",
                                "name",
                                "--key",
                                "anna")
                        .json();
        assertThat(found.at("/key/notLookedForIn")).hasSize(2);
        assertThat(found.at("/key/notLookedForInLeftOut").asInt()).isZero();
    }
}
