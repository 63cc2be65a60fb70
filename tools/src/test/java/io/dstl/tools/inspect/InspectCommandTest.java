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
import static io.dstl.tools.inspect.Records.put;
import static io.dstl.tools.inspect.Records.set;
import static io.dstl.tools.inspect.WrittenLog.changelog;
import static io.dstl.tools.inspect.WrittenLog.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class InspectCommandTest extends InspectFixture {
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
        assertThat(damaged.out).contains("can't be read: ").contains("an empty file");
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
        assertRefused("give rates of 1 or more", checkpoint.toString(), "--replay-changes", "0");
        assertRefused(
                "PATH is nosuch://***@bucket/chk-7, and this Flink has no file system for nosuch: put"
                        + " its plugin into plugins/, or correct the path",
                "nosuch://key:secret@bucket/chk-7");
        assertRefused("need a checkpoint", log.base().toString(), "--state", "name", "--key", "a");
    }

    private Path home() {
        return root.resolve("home/conf/flink-conf.yaml");
    }

    private void assertRefused(String reason, String... options) throws IOException {
        InspectRun run = run(options);
        assertThat(run.exitCode).as(run.err).isEqualTo(2);
        assertThat(run.err.trim().lines()).singleElement().asString().contains(reason);
    }
}
