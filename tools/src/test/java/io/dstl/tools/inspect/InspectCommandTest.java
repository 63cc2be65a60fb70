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

import static io.dstl.tools.inspect.Records.counted;
import static io.dstl.tools.inspect.Records.describe;
import static io.dstl.tools.inspect.Records.put;
import static io.dstl.tools.inspect.Records.set;
import static io.dstl.tools.inspect.WrittenLog.changelog;
import static io.dstl.tools.inspect.WrittenLog.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
    private static final long NOW = Duration.ofDays(20_000).toMillis();
    private static final long WRITTEN = NOW - Duration.ofHours(3).toMillis();

    private static final byte[] NAME = describe(1, "name", Type.VALUE, StringSerializer.INSTANCE);
    private static final byte[] VISITS =
            describe(
                    2,
                    "visits",
                    Type.MAP,
                    new MapSerializer<>(StringSerializer.INSTANCE, LongSerializer.INSTANCE));

    private static final String FIRST = "00000000000000000000000000000001";
    private static final String SECOND = "00000000000000000000000000000002";

    @TempDir private Path root;

    private WrittenLog log;
    private StreamStateHandle first;
    private StreamStateHandle second;
    private WrittenLog.Indexed third;
    private Path checkpoint;

    /** Two operators: the first in segments of Flink's own and of dstl's, the second in dstl's. */
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

    private Long offset(int set) {
        return third.offsets.get(set);
    }

    @Test
    void tellsWhoWritesAndWhatIsVoid() throws IOException {
        InspectRun run = run(checkpoint.toString(), "--json");

        assertThat(run.exitCode).as(run.err).isZero();
        JsonNode found = run.json();
        assertThat(found.at("/log/changeSets").asInt()).isEqualTo(4);
        assertThat(found.at("/log/segments").asInt()).isEqualTo(3);
        assertThat(found.at("/log/logBytes").asInt()).isEqualTo(340);
        assertThat(found.at("/log/oldestMs").asLong()).isEqualTo(NOW - WRITTEN);
        assertThat(found.at("/jobs/0/job").asText()).isEqualTo(WrittenLog.JOB);
        JsonNode operator = found.at("/operators/0");
        assertThat(operator.get("operatorId").asText()).isEqualTo(FIRST);
        assertThat(operator.get("keyType").asText()).isEqualTo("StringSerializer");
        assertThat(operator.get("keyTypeFrom").asText()).isEqualTo("GUESSED");
        assertThat(operator.get("logBytesSaved").asInt()).isEqualTo(300);
        assertThat(operator.get("segmentBytesFreedAlone").asLong())
                .isEqualTo(first.getStateSize() + second.getStateSize());
        assertThat(operator.get("amplification").isNull()).isTrue();
        long voided = counted(set(1, "anna", "A"), set(1, "bert", "B"), put(2, "anna", "home", 1));
        assertThat(operator.get("voidBytes").asLong()).isEqualTo(voided);
        JsonNode state = found.at("/states/0");
        assertThat(state.get("state").asText()).isEqualTo("visits");
        assertThat(state.get("operatorId").asText()).isEqualTo(FIRST);
        assertThat(found.at("/keyGroups/0/operatorId").asText()).isEqualTo(FIRST);
        assertThat(state.get("changes").asInt()).isEqualTo(3);
        assertThat(state.get("contentBytes").asLong())
                .isEqualTo(
                        counted(
                                put(2, "anna", "home", 1),
                                put(2, "anna", "home", 2),
                                put(2, "anna", "work", 3)));
        // Two keys of one operator are too few for a guess.
        assertThat(found.at("/operators/1/keyType").isNull()).isTrue();
        assertThat(found.at("/operators/1/judgedBytes").asLong()).isZero();
        assertThat(found.at("/operators/1/voidShare").isNull()).isTrue();
    }

    @Test
    void theTablesHaveTheSameNumbers() throws IOException {
        JsonNode found = run(checkpoint.toString(), "--json").json();
        InspectRun tables = run(checkpoint.toString());

        assertThat(tables.exitCode).isZero();
        for (JsonNode row : found.get("operators")) {
            assertThat(tables.out)
                    .containsPattern(
                            row.get("operator").asText()
                                    + " .* "
                                    + row.get("changes").asInt()
                                    + " +"
                                    + row.get("logBytesSaved").asInt()
                                    + " ");
        }
        for (JsonNode row : found.get("states")) {
            assertThat(tables.out)
                    .containsPattern(
                            row.get("state").asText()
                                    + " +"
                                    + row.get("type").asText()
                                    + " +"
                                    + row.get("changes").asInt()
                                    + " +"
                                    + row.get("contentBytes").asInt()
                                    + " ");
        }
        for (JsonNode row : found.get("keyGroups")) {
            assertThat(tables.out)
                    .containsPattern(
                            row.get("operator").asText()
                                    + " +"
                                    + row.get("keyGroup").asInt()
                                    + " +"
                                    + row.get("changes").asInt()
                                    + " +"
                                    + row.get("contentBytes").asInt()
                                    + " ");
        }
        assertThat(tables.out).contains(found.at("/log/voidBytes").asInt() + " bytes, ");
    }

    @Test
    void estimatesTheReplay() throws IOException {
        JsonNode found =
                run(
                                checkpoint.toString(),
                                "--json",
                                "--replay-changes",
                                "5",
                                "--replay-bytes",
                                "10")
                        .json();
        // Eight changes and two descriptions.
        double seconds = 2.0 + found.at("/operators/0/contentBytes").asInt() / 10.0;
        assertThat(found.get("slowestReplayS").asDouble()).isEqualTo(seconds);
    }

    @Test
    void topLimitsTheTables() throws IOException {
        JsonNode found = run(checkpoint.toString(), "--json", "--top", "1").json();
        assertThat(found.get("operators")).hasSize(1);
        assertThat(found.get("states")).hasSize(1);
        assertThat(found.get("keyGroups")).hasSize(1);
        assertThat(found.at("/log/changes").asInt()).isEqualTo(13);
    }

    @Test
    void everyListSaysWhatIsLeftOutOfIt() throws IOException {
        for (StreamStateHandle segment : List.of(first, second)) {
            Files.delete(log.directory().resolve(nameOf(segment)));
        }
        assertLeftOut(run(checkpoint.toString(), "--top", "1", "--json"), "operators", 1);
        assertLeftOut(run(checkpoint.toString(), "--top", "1", "--json"), "damaged", 1);
        assertLeftOut(run(checkpoint.toString(), "--top", "2", "--json"), "damaged", 0);
        InspectRun text = run(checkpoint.toString(), "--top", "1");
        assertThat(text.exitCode).isEqualTo(1);
        assertThat(text.out).endsWith("\n... and 1 more: see --top\n");
        assertThat(text.out.lines().filter(line -> line.startsWith("can't be read"))).hasSize(1);
    }

    @Test
    void theJobsWithMostBytesAreListed() throws IOException {
        Path other = log.base().resolve(SECOND).resolve("dstl");
        Files.createDirectories(other);
        Files.copy(log.directory().resolve(nameOf(first)), other.resolve(nameOf(first)));
        InspectRun run = run(log.base().toString(), "--top", "1", "--json");
        assertLeftOut(run, "jobs", 1);
        assertLeftOut(run, "largest", 3);
        assertThat(run.json().at("/jobs/0/job").asText()).isEqualTo(WrittenLog.JOB);
        assertThat(run.json().get("segments").asInt()).isEqualTo(4);
        assertLeftOut(
                run(log.directory() + "/" + nameOf(third.handle), "--top", "1", "--json"),
                "sets",
                1);
    }

    private static void assertLeftOut(InspectRun run, String list, int count) throws IOException {
        assertThat(run.json().get(list + "LeftOut").asInt()).as(list).isEqualTo(count);
    }

    @Test
    void saysWhyKeysAreBytesOrGuessed() throws IOException {
        assertThat(run(checkpoint.toString()).out)
                .contains(
                        "\nKeys of "
                                + FIRST
                                + " are guessed by their key groups: nothing of it is materialized."
                                + " --key-type sets their type\n")
                .contains(
                        "\nKeys of "
                                + SECOND
                                + " are taken as bytes, and none counts as void: nothing of it is"
                                + " materialized, and no plain type fits the key groups of enough"
                                + " different keys in the log. --key-type sets their type\n");
        assertThat(run(checkpoint.toString(), "--key-type", "string").out)
                .doesNotContain("Keys of ");
    }

    @Test
    void showsTheChangesOfAKey() throws IOException {
        InspectRun name = run(checkpoint.toString(), "--state", "name", "--key", "bert");
        assertThat(name.out).contains("key bert: 2").contains("SET  \"B\"").contains("SET  \"B3\"");
        assertThat(name.out.indexOf("\"B\"")).isLessThan(name.out.indexOf("\"B3\""));

        InspectRun visits = run(checkpoint.toString(), "--state", "visits", "--key", "anna");
        assertThat(visits.out)
                .contains("ADD_OR_UPDATE_ELEMENT  \"home\" = 1")
                .contains("ADD_OR_UPDATE_ELEMENT  \"work\" = 3");

        InspectRun last =
                run(checkpoint.toString(), "--state", "visits", "--key", "anna", "--top", "1");
        assertThat(last.out).contains("key anna: 3, the last 1").doesNotContain("\"home\"");

        InspectRun none = run(checkpoint.toString(), "--state", "nme", "--key", "anna");
        assertThat(none.out).contains("no changes of a state 'nme'");
    }

    @Test
    void findsAKeyByItsBytes() throws IOException {
        String cleo = "0x05636C656F";
        assertThat(run(checkpoint.toString(), "--state", "name", "--key", cleo).out)
                .contains("SET  \"C\"");
    }

    @Test
    void saysThatAKeyOfUnknownTypeCouldNotBeLookedFor() throws IOException {
        InspectRun none = run(checkpoint.toString(), "--state", "name", "--key", "dora");
        assertThat(none.out)
                .contains("key dora: 0")
                .contains("Not looked for in the operator " + SECOND)
                .contains("--key-type");

        String typed =
                run(
                                checkpoint.toString(),
                                "--state",
                                "name",
                                "--key",
                                "dora",
                                "--key-type",
                                "string")
                        .out;
        assertThat(typed).contains("key dora: 1").doesNotContain("Not looked for");
        String hex = run(checkpoint.toString(), "--state", "name", "--key", "0x05646f7261").out;
        assertThat(hex).contains("key 0x05646f7261: 1").doesNotContain("Not looked for");
    }

    /** Flink knows no size of a log that was cut to other key groups, until it is materialized. */
    @Test
    void aLogOfAnotherParallelismCountsBesideThatWritten() throws IOException {
        ChangelogStateHandle[] logs = {log(0, first, 0L), log(300, second, 0L)};
        checkpoint = log.checkpoint(changelog(logs));
        long ofFirst =
                counted(
                        NAME,
                        VISITS,
                        set(1, "anna", "A"),
                        set(1, "bert", "B"),
                        set(1, "cleo", "C"),
                        put(2, "anna", "home", 1));
        assertThat(run(checkpoint.toString(), "--json").json().at("/log/logBytes").asLong())
                .isEqualTo(ofFirst + 300);
    }

    @Test
    void aKeyTypeThatIsGivenIsUsed() throws IOException {
        JsonNode found = run(checkpoint.toString(), "--json", "--key-type", "string").json();
        assertThat(found.at("/operators/1/keyTypeFrom").asText()).isEqualTo("GIVEN");
        assertThat(found.at("/operators/1/judgedBytes").asLong()).isPositive();
    }

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
        assertThat(found.get("damaged"))
                .allMatch(row -> !row.get("cause").asText().isEmpty());
        assertThat(found.get("damagedLeftOut").asInt()).isEqualTo(26);
    }

    @Test
    void readsASegment() throws IOException {
        String file = log.directory() + "/";
        String ours = file + nameOf(third.handle);
        JsonNode found = run(ours, "--json").json();
        assertThat(found.get("indexed").asBoolean()).isTrue();
        assertThat(found.get("compressed").asBoolean()).isTrue();
        assertThat(found.get("sets")).hasSize(2);
        assertThat(found.at("/sets/1/offset").asLong()).isEqualTo(offset(1));
        assertThat(found.at("/sets/1/contentBytes").asLong()).isPositive();
        assertThat(found.get("changes").asInt()).isEqualTo(5);
        assertThat(found.get("states"))
                .extracting(row -> row.get("state").asText())
                .containsExactlyInAnyOrder("#1", "#2", "name");

        InspectRun stock = run(file + nameOf(first));
        assertThat(stock.exitCode).isZero();
        assertThat(stock.out).contains("plain, no index").contains("name").contains("visits");
    }

    @Test
    void readsABasePath() throws IOException {
        JsonNode found = run(log.base().toString(), "--json").json();
        assertThat(found.get("segments").asInt()).isEqualTo(3);
        JsonNode job = found.at("/jobs/0");
        assertThat(job.get("job").asText()).isEqualTo(WrittenLog.JOB);
        assertThat(found.get("jobs")).hasSize(1);
        assertThat(job.get("bytes").asLong())
                .isEqualTo(
                        first.getStateSize() + second.getStateSize() + third.handle.getStateSize());
        assertThat(job.get("indexed").asInt()).isEqualTo(1);
        assertThat(job.get("compressed").asInt()).isEqualTo(1);
        assertThat(job.get("changeSets").asInt()).isEqualTo(2);
        assertThat(job.get("oldestMs").asLong()).isEqualTo(NOW - WRITTEN);
        assertThat(found.at("/largest/0/bytes").asLong())
                .isGreaterThanOrEqualTo(found.at("/largest/1/bytes").asLong());

        Files.write(log.directory().resolve(nameOf(first)), new byte[0]);
        InspectRun damaged = run(log.base().resolve(WrittenLog.JOB).toString());
        assertThat(damaged.exitCode).isEqualTo(1);
        assertThat(damaged.out).contains("can't be read: ").contains("it is empty");
    }

    private static String nameOf(StreamStateHandle handle) {
        String key = handle.getStreamStateHandleID().getKeyString();
        return key.substring(key.lastIndexOf('/') + 1);
    }

    @Test
    void saysHowFarItIs() throws IOException {
        AtomicLong clock = new AtomicLong(NOW);
        InspectRun run = InspectRun.of(root, () -> clock.addAndGet(5_000), checkpoint.toString());
        assertThat(run.err)
                .contains("Types of keys: of 2 of 2 operators; ")
                .contains("Looked at: 3 of 3 segments; ")
                .contains(
                        "Read: 4 of 4 change sets, from end to end in 2 segments without an index;"
                                + " about 0 s left");
        assertThat(run(checkpoint.toString()).err).isEmpty();
        InspectRun ofOne =
                InspectRun.of(
                        root, () -> clock.addAndGet(5_000), log.directory() + "/" + nameOf(first));
        assertThat(ofOne.err)
                .contains(
                        "Read: "
                                + first.getStateSize()
                                + " of "
                                + first.getStateSize()
                                + " bytes, up to the end, as the segment has no index; about 0 s");
    }

    @Test
    void refusesWhatItCantWorkWith() throws IOException {
        assertRefused("give one, such as", checkpoint.getParent().toString());
        assertRefused("is empty or does not exist", root.resolve("nowhere").toString());
        assertRefused("neither a checkpoint nor a segment", home().toString());
        assertRefused("give one of string, boolean", checkpoint.toString(), "--key-type", "Row");
        assertRefused("--key without --state", checkpoint.toString(), "--key", "a");
        assertRefused("--threads 0", checkpoint.toString(), "--threads", "0");
        assertRefused("--top 0", checkpoint.toString(), "--top", "0");
        assertRefused("give rates above 0", checkpoint.toString(), "--replay-changes", "0");
        assertRefused(
                "PATH is nosuch://***@bucket/chk-7, and this Flink has no file system for nosuch: put"
                        + " its plugin into plugins/, or correct the path",
                "nosuch://key:secret@bucket/chk-7");
        assertRefused("need a checkpoint", log.base().toString(), "--state", "name", "--key", "a");
    }

    private Path home() {
        return root.resolve("home/conf/flink-conf.yaml");
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

    private void assertRefused(String reason, String... options) throws IOException {
        InspectRun run = run(options);
        assertThat(run.exitCode).as(run.err).isEqualTo(2);
        assertThat(run.err.trim().lines()).singleElement().asString().contains(reason);
    }

    private InspectRun run(String... options) throws IOException {
        return InspectRun.of(root, () -> NOW, options);
    }
}
