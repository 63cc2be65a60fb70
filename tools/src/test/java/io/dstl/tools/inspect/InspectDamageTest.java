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

import static io.dstl.tools.inspect.WrittenLog.changelog;
import static io.dstl.tools.inspect.WrittenLog.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** What is said of segments and metadata that can't be read, and where the command stops. */
class InspectDamageTest extends InspectFixture {
    @Test
    void aDamagedSegmentIsOneLineAndTheRestIsShown() throws IOException {
        Path file = log.directory().resolve(nameOf(second));
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 5));

        InspectRun run = run(checkpoint.toString());
        assertThat(run.exitCode).isEqualTo(1);
        assertThat(run.out.lines().filter(line -> line.startsWith("can't be read: ")))
                .singleElement()
                .asString()
                .contains(file.getFileName().toString())
                .contains("the end of the file");
        assertThat(run.out).contains("visits").contains("name");

        Files.delete(file);
        run = run(checkpoint.toString(), "--json");
        assertThat(run.exitCode).isEqualTo(1);
        assertThat(run.json().get("damaged")).hasSize(1);
        assertThat(run.json().at("/operators/0/changes").asInt()).isEqualTo(8);
    }

    @Test
    void saysThatTheJobHasDeletedTheCheckpointMeanwhile() throws IOException {
        InspectRun run = InspectRun.of(root, this::subsumed, checkpoint.toString());
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.err)
                .startsWith("The checkpoint file:" + checkpoint + "/_metadata was deleted while")
                .contains("Give a newer one");
        assertThat(run.out).startsWith("Not all was read, so this is only what was found");
    }

    private long subsumed() {
        try {
            Files.deleteIfExists(checkpoint.resolve("_metadata"));
            Files.deleteIfExists(log.directory().resolve(nameOf(second)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return NOW;
    }

    /** Each segment counts once, however many tasks have sets in it. */
    @Test
    void onlySoManyDamagedSegmentsAreNamedAsAreShown() throws IOException {
        List<Object> sets = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            sets.add(
                    new FileStateHandle(
                            new org.apache.flink.core.fs.Path(
                                    log.directory().resolve("gone-" + i).toUri()),
                            10));
            sets.add(0L);
        }
        checkpoint = log.checkpoint(3, changelog(log(300, sets.toArray())));
        JsonNode found = run(checkpoint.toString(), "--json", "--top", "4").json();
        assertThat(found.get("damaged"))
                .extracting(row -> row.get("segment").asText().replaceAll(".*/", ""))
                .containsExactly("gone-0", "gone-1", "gone-2", "gone-3");
        assertThat(found.get("damaged")).allMatch(row -> !row.get("cause").asText().isEmpty());
        assertThat(found.get("damagedLeftOut").asInt()).isEqualTo(26);
    }

    @Test
    void stopsAtMetadataThatCantBeRead() throws IOException {
        Files.write(checkpoint.resolve("_metadata"), new byte[] {1, 2, 3});
        InspectRun run = run(checkpoint.toString());
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.err).contains("Can't read the checkpoint");
    }

    /** With wrong credentials, say: else each segment would be tried, and be called damaged. */
    @Test
    void stopsWhereTheStoreCannotBeReached() throws IOException {
        Object[] sets = new Object[200];
        for (int i = 0; i < sets.length; i += 2) {
            sets[i] =
                    new FileStateHandle(
                            new org.apache.flink.core.fs.Path(
                                    "nosuch://key:secret@bucket/file-" + i),
                            10);
            sets[i + 1] = 0L;
        }
        checkpoint = log.checkpoint(changelog(log(300, sets)));
        InspectRun run = run(checkpoint.toString());
        assertThat(run.exitCode).isEqualTo(3);
        assertThat(run.err.lines())
                .filteredOn(line -> line.startsWith("Stopped: "))
                .singleElement()
                .asString()
                .contains("100 segments can't be reached", "nosuch://***@bucket/file-")
                .doesNotContain("secret");
        assertThat(run.out).startsWith("Not all was read, so this is only what was found");
        JsonNode found = run(checkpoint.toString(), "--json").json();
        assertThat(found.get("complete").asBoolean(true)).isFalse();
        assertThat(found.get("damaged")).hasSize(10);
        assertThat(found.get("damagedLeftOut").asInt()).isEqualTo(90);
    }
}
