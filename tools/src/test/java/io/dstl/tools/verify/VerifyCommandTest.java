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
package io.dstl.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** The command on local files: what it finds, prints and ends with. */
class VerifyCommandTest extends VerifyFixture {
    private static final String CHECKPOINTS = "s3://flink/checkpoints/" + JOB;
    private static final String NEEDED =
            ", needed by operator " + WINDOW + ", subtask 0 of 2 (log) and 1 more: ";
    private static final String COPY =
            "; put an intact copy in its place, for example from a version that the bucket keeps,"
                    + " or restore another checkpoint";
    private static final String BACK =
            "; put it back, for example from a version that the bucket keeps, or restore another"
                    + " checkpoint";

    private static String shown(TestSegment segment) {
        return "s3://flink/changelog/" + JOB + "/dstl/" + segment.path().getFileName();
    }

    private void assertFound(String line) {
        assertThat(printed().lines().filter(each -> !each.isEmpty()).findFirst()).hasValue(line);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void anIntactCheckpoint() throws IOException {
        assertThat(run(older.getParent())).isZero();
        assertThat(printed())
                .isEqualTo(
                        "\nSegments intact, by their checksums: 2, in bytes "
                                + String.format(Locale.ROOT, "%,d", first.bytes() + second.bytes())
                                + ".\nState files that can be read, and have the right size: 3, in bytes"
                                + " 71,100.\n"
                                + "In the metadata itself: 1, in bytes 200.\n\n"
                                + "intact      "
                                + CHECKPOINTS
                                + "/chk-7/_metadata\n");
        assertThat(err.toString()).isEmpty();
        String byDirectory = printed();
        out.getBuffer().setLength(0);
        assertThat(run(older.toUri())).as("its metadata, as a URI").isZero();
        assertThat(printed()).isEqualTo(byDirectory);
    }

    /** In any byte of it: what Flink's own reader needs is checked as well. */
    @Test
    void aFlippedBitInASegment() throws IOException {
        for (TestSegment segment : List.of(first, second)) {
            for (int at = 0; at < segment.bytes(); at += 1 + at / 8) {
                flip(segment.path(), at * 8L + at % 8);
                assertThat(run(older)).as("byte %d of %s", at, segment.path()).isEqualTo(1);
                flip(segment.path(), at * 8L + at % 8);
            }
        }
        assertThat(run(older)).as("as it was").isZero();
    }

    /** Whose segments have checksums where they are compressed. */
    @Test
    void aFlippedBitInASegmentOfFlinksOwn() throws IOException {
        TestSegment segment = TestSegment.writeAsFlink(first.path().getParent(), 5);
        Path metadata = metadata(9, logOf(LOWER, 0, segment), logOf(UPPER, 1, segment));
        assertThat(run(metadata)).isZero();
        assertThat(printed()).contains("Segments intact, by their checksums: 1, ");
        for (int at = 0; at < segment.bytes(); at += 1 + at / 8) {
            flip(segment.path(), at * 8L + at % 8);
            assertThat(run(metadata)).as("byte %d", at).isEqualTo(1);
            flip(segment.path(), at * 8L + at % 8);
        }
    }

    @Test
    void saysWhereASegmentIsDamaged() throws IOException {
        flip(first.path(), 8 * (1 + first.offset(1) + 20));
        assertThat(run(older)).isEqualTo(1);
        String line = printed().lines().findFirst().orElseThrow();
        assertThat(line)
                .startsWith(
                        "damaged     "
                                + shown(first)
                                + NEEDED
                                + "in the change set at offset "
                                + first.offset(1)
                                + ", at position "
                                + first.offset(1)
                                + " of the content, found ")
                .endsWith(", also when it was read again, expected what was stored" + COPY);
        assertThat(printed())
                .endsWith("\nnot intact  " + CHECKPOINTS + "/chk-7/_metadata: 1 damaged\n");
    }

    @Test
    void aTruncatedSegment() throws IOException {
        truncate(second.path(), second.bytes() - 1);
        assertThat(run(older)).isEqualTo(1);
        assertFound(
                "damaged     "
                        + shown(second)
                        + NEEDED
                        + "it has "
                        + (second.bytes() - 1)
                        + " bytes instead of "
                        + second.bytes()
                        + " bytes"
                        + COPY);
    }

    @Test
    void aMissingSegmentThatTwoCheckpointsNeed() throws IOException {
        Files.delete(second.path());
        assertThat(run(older, newer)).isEqualTo(1);
        assertFound(
                "missing     "
                        + shown(second)
                        + NEEDED.replace("1 more", "3 more")
                        + "it is not in the store"
                        + BACK);
        assertThat(printed())
                .endsWith(
                        "\nnot intact  "
                                + CHECKPOINTS
                                + "/chk-7/_metadata: 1 missing\nnot intact  "
                                + CHECKPOINTS
                                + "/chk-8/_metadata: 1 missing\n");
    }

    @Test
    void tellsWhichOfSeveralCheckpointsIsIntact() throws IOException {
        Files.delete(third.path());
        assertThat(run(older, newer)).isEqualTo(1);
        assertThat(printed())
                .contains("\nintact      " + CHECKPOINTS + "/chk-7/_metadata\n")
                .contains("\nnot intact  " + CHECKPOINTS + "/chk-8/_metadata: 1 missing\n");
    }

    /** Between its metadata and its objects the job goes on, and two more checkpoints complete. */
    @Test
    void aCheckpointThatItsJobHasDeletedMeanwhileIsNotDamaged() throws IOException {
        assertThat(runAt(this::subsumeTheOlder, older)).isEqualTo(3);
        assertThat(printed().lines()).noneMatch(line -> line.startsWith("missing"));
        assertThat(printed())
                .endsWith(
                        "\ngone        "
                                + CHECKPOINTS
                                + "/chk-7/_metadata: 1 missing; it was deleted meanwhile, so that is"
                                + " no damage; give a newer one; a running job keeps the last execution.checkpointing.num-retained of them\n");
    }

    @Test
    void anotherCheckpointIsVerifiedAllTheSame() throws IOException {
        assertThat(runAt(this::subsumeTheOlder, "--json", older, newer)).isEqualTo(3);
        JsonNode document = new ObjectMapper().readTree(printed());
        assertThat(document.path("findings")).isEmpty();
        assertThat(document.at("/checkpoints/0/verdict").asText()).isEqualTo("gone");
        assertThat(document.at("/checkpoints/0/remedy").asText()).startsWith("give a newer one");
        assertThat(document.at("/checkpoints/1/verdict").asText()).isEqualTo("intact");
    }

    @Test
    void damageOfAnotherCheckpointCounts() throws IOException {
        Files.delete(third.path());
        assertThat(runAt(this::subsumeTheOlder, older, newer)).isEqualTo(1);
        assertThat(printed())
                .contains("missing     " + shown(third))
                .contains("\ngone        " + CHECKPOINTS + "/chk-7/_metadata: 1 missing;")
                .contains("\nnot intact  " + CHECKPOINTS + "/chk-8/_metadata: 1 missing\n");
    }

    private long subsumeTheOlder() {
        try {
            Files.deleteIfExists(older);
            Files.deleteIfExists(first.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return 0;
    }

    @Test
    void aMissingAndATruncatedStateFile() throws IOException {
        truncate(sst, 69_999);
        assertThat(run(older)).isEqualTo(1);
        String shown = CHECKPOINTS + "/shared/" + sst.getFileName();
        String needed = ", needed by operator " + WINDOW + ", subtask 0 of 2 (shared file): ";
        assertFound(
                "damaged     "
                        + shown
                        + needed
                        + "it has 69999 bytes instead of 70000 bytes"
                        + COPY);
        Files.delete(sst);
        out.getBuffer().setLength(0);
        assertThat(run(older)).isEqualTo(1);
        assertFound("missing     " + shown + needed + "it is not in the store" + BACK);
        Files.createDirectory(sst);
        out.getBuffer().setLength(0);
        assertThat(run(older)).isEqualTo(1);
        assertFound("damaged     " + shown + needed + "it is a directory, and no object" + COPY);
    }

    @Test
    void missingMetadata() throws IOException {
        Files.delete(older);
        assertThat(run(older.getParent(), newer)).isEqualTo(1);
        assertFound(
                "missing     "
                        + older.getParent()
                        + ": there is no _metadata here, so no complete checkpoint; see that the"
                        + " path is right, or restore another checkpoint");
        assertThat(printed()).contains("\nintact      " + CHECKPOINTS + "/chk-8/_metadata\n");
    }

    @Test
    void garbageForMetadata() throws IOException {
        Files.writeString(older, "This is no metadata");
        assertThat(run(older.getParent())).isEqualTo(1);
        assertThat(printed())
                .startsWith(
                        "damaged     "
                                + CHECKPOINTS
                                + "/chk-7/_metadata: it is nothing that this Flink can read as"
                                + " metadata: java.io.IOException: ")
                .contains("; use the lib/ of the Flink that wrote it if that is a later one; else")
                .endsWith("\nnot intact  " + CHECKPOINTS + "/chk-7/_metadata: 1 damaged\n");
    }

    @Test
    void truncatedMetadata() throws IOException {
        truncate(older, (int) Files.size(older) / 2);
        assertThat(run(older)).isEqualTo(1);
        assertThat(printed()).contains("EOFException").contains("_metadata: 1 damaged");
    }

    @Test
    void argumentsThatCannotBeUsed() throws IOException {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("Missing required parameter: 'CHECKPOINT'");
        assertUnusable("--threads is 0: give a number from 1 to 256", "--threads", "0", older);
        assertUnusable("CHECKPOINT is ' ', no URI: write it as in s3://bucket/", " ");
        assertUnusable(
                "CHECKPOINT is nosuch://***@bucket/chk-7, and this Flink has no file system for"
                        + " nosuch: put its plugin into plugins/, or correct the path",
                "nosuch://key:secret@bucket/chk-7");
        // Metadata are where the marker of entropy is left out.
        assertUnusable(
                "CHECKPOINT is s3://bucket/chk-7, and this Flink has no file system for s3",
                "-Ds3.entropy.key=_rnd_",
                "s3://bucket/_rnd_/chk-7");
        assertThat(out.toString()).isEmpty();
    }

    private void assertUnusable(String message, Object... arguments) throws IOException {
        err.getBuffer().setLength(0);
        assertThat(run(arguments)).as(message).isEqualTo(2);
        assertThat(err.toString()).startsWith(message);
        assertThat(err.toString().lines()).hasSize(1);
    }

    /** No damage is known of them, and none is ruled out. */
    @Test
    void objectsThatCannotBeRead() throws IOException {
        Path metadata = metadata(9, elsewhere(102));
        assertThat(run("--threads", "1", metadata)).isEqualTo(3);
        assertThat(printed().lines().filter(line -> line.startsWith("unreadable")))
                .as("the last are not tried, unless they were begun")
                .hasSizeBetween(100, 102)
                .allMatch(line -> line.startsWith("unreadable  nosuch://***@bucket/file-"))
                .allMatch(line -> line.endsWith("; put its plugin into plugins/, then repeat"))
                .noneMatch(line -> line.contains("secret"));
        assertThat(printed()).contains("\nnot known   " + CHECKPOINTS + "/chk-9/_metadata: 10");
    }

    @Test
    void thoseThatAreLeftWhenTooManyCannotBeReadAreNotTried() throws IOException {
        Path metadata = metadata(9, elsewhere(500));
        assertThat(run("--threads", "1", metadata)).isEqualTo(3);
        assertThat(printed())
                .containsPattern("chk-9/_metadata: 16\\d unreadable, 33\\d not checked\n");
    }

    private static KeyedStateHandle[] elsewhere(int count) {
        List<KeyedStateHandle> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(
                    new KeyGroupsStateHandle(
                            new KeyGroupRangeOffsets(i, i),
                            new FileStateHandle(
                                    new org.apache.flink.core.fs.Path(
                                            "nosuch://key:secret@bucket/file-" + i),
                                    10)));
        }
        return handles.toArray(new KeyedStateHandle[0]);
    }

    @Test
    void json() throws IOException {
        Files.delete(second.path());
        assertThat(run("--json", older, newer)).isEqualTo(1);
        JsonNode document = new ObjectMapper().readTree(printed());
        assertThat(document.path("findings")).hasSize(1);
        JsonNode finding = document.path("findings").path(0);
        assertThat(finding.path("verdict").asText()).isEqualTo("missing");
        assertThat(finding.path("object").asText()).isEqualTo(shown(second));
        assertThat(finding.path("problem").asText()).isEqualTo("it is not in the store");
        assertThat(finding.path("remedy").asText()).startsWith("put it back");
        assertThat(finding.path("neededBy")).hasSize(4);
        JsonNode need = finding.path("neededBy").path(3);
        assertThat(need.path("checkpoint").asText()).isEqualTo(CHECKPOINTS + "/chk-8/_metadata");
        assertThat(need.path("operatorId").asText()).isEqualTo(WINDOW.toString());
        assertThat(need.path("subtask").asInt(-1)).isEqualTo(1);
        assertThat(need.path("parallelism").asInt()).isEqualTo(2);
        assertThat(need.path("part").asText()).isEqualTo("log");
        JsonNode intact = document.path("intact");
        assertThat(intact.path("checksums").path("objects").asInt()).isEqualTo(2);
        assertThat(intact.path("checksums").path("bytes").asInt())
                .isEqualTo(first.bytes() + third.bytes());
        assertThat(intact.path("structure").path("objects").asInt(-1)).isZero();
        assertThat(intact.path("size").path("bytes").asInt()).isEqualTo(71_100);
        assertThat(intact.path("inMetadata").path("objects").asInt()).isEqualTo(2);
        assertThat(document.path("checkpoints")).hasSize(2);
        assertThat(document.path("checkpoints").path(0).path("verdict").asText())
                .isEqualTo("damaged");
        assertThat(document.path("checkpoints").path(0).path("missing").asInt()).isEqualTo(1);
    }

    @Test
    void jsonOfAnIntactCheckpointHasNoFindings() throws IOException {
        assertThat(run("--json", older)).isZero();
        JsonNode document = new ObjectMapper().readTree(printed());
        assertThat(document.path("findings").isArray()).isTrue();
        assertThat(document.path("findings")).isEmpty();
        assertThat(document.path("checkpoints").path(0).path("verdict").asText())
                .isEqualTo("intact");
    }

    /** What was found by then is one document, which calls nothing intact that was not checked. */
    @Test
    void jsonOfARunThatIsStopped() throws IOException {
        Files.delete(older);
        assertThat(run("--json", older.getParent(), newer, "nosuch://bucket/chk-9")).isEqualTo(2);
        assertThat(err.toString()).contains("this Flink has no file system for nosuch");
        JsonNode document = new ObjectMapper().readTree(printed());
        assertThat(document.path("findings")).hasSize(1);
        assertThat(document.at("/findings/0/verdict").asText()).isEqualTo("missing");
        assertThat(document.path("checkpoints")).hasSize(2);
        assertThat(document.at("/checkpoints/1/verdict").asText()).isEqualTo("not checked");
        assertThat(document.at("/checkpoints/1/unchecked").asInt()).isEqualTo(5);
    }
}
