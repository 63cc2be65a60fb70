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
package io.dstl.tools.orphans;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.segment.ClusterMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;

/** The command on local files: what is listed, deleted, and refused. */
class OrphansCommandTest extends OrphansCommandFixture {

    @Test
    void listsAndDeletesNothingUnlessAskedTo() throws IOException {
        assertThat(run()).isZero();

        assertThat(store.segments(JOB))
                .containsExactly("orphan", "referred-1", "referred-2", "young");
        assertThat(out.toString())
                .contains("Checkpoints read: 1 in file:" + store.checkpoints())
                .contains("Segments they refer to: 2")
                .containsPattern("orphan .* 10 bytes .*" + JOB + "/dstl/" + store.uuid("orphan"))
                .containsPattern(JOB + " +2 / 20 +1 / 10 +0 / 0 +0 / 0 +1 / 10")
                .containsPattern(OTHER + " +0 / 0 +0 / 0 +1 / 10 +0 / 0 +0 / 0")
                .contains("Orphans: 1, in bytes 10.")
                .contains("Nothing was deleted. To delete the orphans: --delete.");
    }

    /** The page has the numbers of a run on S3; the text around them is what is printed. */
    @Test
    void printsWhatTheDocsShow() throws IOException {
        String docs = Files.readString(Path.of("..", "docs", "operations.md"));
        int begin = docs.indexOf("    Checkpoints read: 3 in s3://");
        String shown = docs.substring(begin, docs.indexOf("\n\nWith `--ended", begin));
        String job = "6aee10bfad071da255849dd0096b1a71";
        String orphan = "002f1b72-5f19-494d-83d5-24c08f50ba22";
        long newest = Instant.parse("2026-11-21T22:08:00Z").toEpochMilli();
        long old = Instant.parse("2026-11-21T22:07:22.372Z").toEpochMilli();
        store = new Store(root.resolve("docs"));
        StreamStateHandle[] referred = store.segments(job, "referred", 119, 3_235_098, old);
        store.checkpoint(job, 6, newest - 1, referred);
        store.checkpoint(job, 7, newest, referred);
        store.checkpoint(job, 8, newest, referred);
        store.segments(job, "young", 5, 90_362, newest);
        store.segments(job, "orphan", 82, 1_685_505 - 18_259, old);
        store.named(job, orphan, 18_259, old);
        configuration.clear();
        configuration.add("dstl.dfs.base-path: " + store.log().toUri());
        configuration.add("execution.checkpointing.dir: " + store.checkpoints().toUri());
        configuration.add("execution.checkpointing.timeout: 30 s");
        configuration.add("state.checkpoints.num-retained: 3");

        assertThat(run("--min-age", "30 s")).isZero();

        String printed =
                out.toString()
                        .replace("file:" + store.log(), "s3://dstl/kills/changelog")
                        .replace("file:" + store.checkpoints(), "s3://dstl/kills/checkpoints")
                        .lines()
                        .filter(line -> !line.startsWith("orphan") || line.contains(orphan))
                        .map(line -> line.isEmpty() ? "" : "    " + line)
                        .collect(Collectors.joining("\n"));
        assertThat(printed).isEqualTo(shown);
    }

    @Test
    void deletesOrphansAndNothingElse() throws IOException {
        assertThat(run("--delete")).isZero();

        assertThat(store.segments(JOB)).containsExactly("referred-1", "referred-2", "young");
        assertThat(store.segments(OTHER)).containsExactly("of-unknown-job");
        assertThat(out.toString()).contains("Deleted: 1, in bytes 10.");
        out.getBuffer().setLength(0);
        assertThat(run("--delete")).isZero();
        assertThat(out.toString()).contains("Orphans: 0, in bytes 0.");
    }

    @Test
    void readsTheOldKeysAsFlinkDoes() throws IOException {
        configuration.clear();
        configuration.add("dstl.dfs.base-path: " + store.log().toUri());
        configuration.add("state.checkpoints.dir: " + store.checkpoints().toUri());
        configuration.add("state.savepoints.dir: " + store.savepoints().toUri());
        Store.metadata(store.savepoints().resolve("savepoint-1-2"), NOW);
        assertThat(run()).isZero();
        assertThat(out.toString())
                .contains("Checkpoints read: 1 in file:" + store.checkpoints())
                .contains("Checkpoints read: 1 in file:" + store.savepoints())
                .contains("Orphans: 1,");
    }

    @Test
    void whatIsReferredToFromAGivenPlaceStays() throws IOException {
        Path elsewhere = root.resolve("elsewhere");
        Path kept = root.resolve("kept/savepoint-3-4");
        Store.metadata(
                elsewhere.resolve("team/" + OTHER + "/chk-9"),
                NOW,
                store.segment(JOB, "orphan", OLD));
        store.segment(JOB, "orphan-2", OLD);
        Store.metadata(kept, NOW, store.segment(JOB, "orphan-2", OLD));
        assertThat(
                        run(
                                "--delete",
                                "--checkpoints",
                                elsewhere.toUri().toString(),
                                "--savepoint",
                                kept.toUri().toString()))
                .isZero();
        assertThat(store.segments(JOB)).contains("orphan", "orphan-2");
        assertThat(store.segments(OTHER)).as("older than its checkpoint").isEmpty();
    }

    @Test
    void deletesTheSegmentsOfAnEndedJob() throws IOException {
        store.checkpoint(OTHER, 3, NOW - HOUR, store.segment(OTHER, "referred", OLD));
        store.segment(OTHER, "after-its-last-checkpoint", NOW - 24 * HOUR);
        assertThat(run("--delete", "--ended", OTHER)).isZero();
        assertThat(store.segments(OTHER)).containsExactly("referred");
    }

    /** The home's directory is out of date, say: then all of the job's log only looks unused. */
    @Test
    void stopsAtAnEndedJobOfWhichNothingIsFound() throws IOException {
        configuration.set(1, "execution.checkpointing.dir: " + root.resolve("stale").toUri());
        assertThat(run("--delete", "--ended", JOB)).isEqualTo(3);
        assertThat(err.toString())
                .contains("No checkpoint of job " + JOB)
                .contains("was found in file:" + root.resolve("stale"))
                .contains("--checkpoints DIR")
                .contains("--no-checkpoints-of " + JOB);
        assertThat(store.segments(JOB))
                .containsExactly("orphan", "referred-1", "referred-2", "young");
        String right = store.checkpoints().toUri().toString();
        assertThat(run("--delete", "--ended", JOB, "--checkpoints", right)).isZero();
        assertThat(store.segments(JOB)).containsExactly("referred-1", "referred-2", "young");
    }

    /** Each of several, and whatever is found of the others. */
    @Test
    void stopsAtTheOneEndedJobOfWhichNothingIsFound() throws IOException {
        assertThat(run("--delete", "--ended", JOB + "," + OTHER)).isEqualTo(3);
        assertThat(err.toString()).contains("No checkpoint of job " + OTHER);
        assertThat(store.segments(JOB)).contains("orphan");
        assertThat(store.segments(OTHER)).containsExactly("of-unknown-job");
    }

    @Test
    void stopsWhereTheCheckpointsOfAnEndedJobAreGoneTheSecondTime() throws IOException {
        onceListed(
                () ->
                        Files.move(
                                store.checkpoints().resolve(JOB),
                                store.checkpoints().resolveSibling("moved")));
        assertThat(run("--delete", "--ended", JOB)).isEqualTo(3);
        assertThat(store.segments(JOB)).contains("orphan", "referred-1", "referred-2");
    }

    /** Of a job that was started from another's checkpoint, and which claimed it. */
    @Test
    void aReferenceToItsLogIsNoCheckpointOfAnEndedJob() throws IOException {
        store.checkpoint(JOB, 8, NOW, store.segment(OTHER, "referred", OLD));
        assertThat(run("--delete", "--ended", OTHER)).isEqualTo(3);
        assertThat(err.toString()).contains("No checkpoint of job " + OTHER + " was found in");
        assertThat(store.segments(OTHER)).contains("of-unknown-job");

        assertThat(run("--delete", "--ended", OTHER, "--no-checkpoints-of", OTHER)).isZero();
        assertThat(store.segments(OTHER)).containsExactly("referred");
    }

    @Test
    void deletesTheWholeLogOfAnEndedJobThatIsSaidToHaveNoCheckpoint() throws IOException {
        assertThat(run("--delete", "--ended", OTHER, "--no-checkpoints-of", OTHER)).isZero();
        assertThat(store.segments(OTHER)).isEmpty();
        assertThat(store.segments(JOB)).containsExactly("referred-1", "referred-2", "young");
    }

    @Test
    void refusesAJobWithoutCheckpointsThatHasNotEnded() throws IOException {
        assertThat(run("--delete", "--no-checkpoints-of", OTHER)).isEqualTo(2);
        assertThat(err.toString()).contains("--no-checkpoints-of is " + OTHER);
        assertThat(run("--ended", OTHER, "--no-checkpoints-of", "my-job")).isEqualTo(2);
        assertThat(err.toString()).contains("--no-checkpoints-of is 'my-job'");
    }

    /** Of any of the paths, in one line that says which. */
    @Test
    void refusesAPathInAStoreThatThisFlinkDoesNotReach() throws IOException {
        assertUnreached("--checkpoints", "--checkpoints", "nosuch://key:secret@bucket/somewhere");
        assertUnreached("--savepoint", "--savepoint", "nosuch://key:secret@bucket/somewhere");
        configuration.set(
                0, "state.changelog.dstl.dfs.base-path: nosuch://key:secret@bucket/somewhere");
        assertUnreached("state.changelog.dstl.dfs.base-path");
    }

    private void assertUnreached(String argument, String... options) throws IOException {
        err.getBuffer().setLength(0);
        assertThat(run(options)).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        argument
                                + " is nosuch://***@bucket/somewhere, and this Flink has no file"
                                + " system for nosuch: put its plugin into plugins/, or correct the"
                                + " path");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void stopsAtACheckpointThatItCannotRead() throws IOException {
        Path broken = store.checkpoint(OTHER, 3, NOW);
        Files.write(broken, new byte[] {1, 2, 3});
        assertThat(run("--delete")).isEqualTo(3);
        assertThat(err.toString()).contains(broken.toUri().getPath()).contains("caused by");
        assertThat(store.segments(JOB)).contains("orphan");
    }

    @Test
    void stopsAtASavepointThatIsNotThere() throws IOException {
        String missing = root.resolve("missing").toUri().toString();
        assertThat(run("--delete", "--savepoint", missing)).isEqualTo(3);
        assertThat(err.toString()).contains("missing");
        assertThat(store.segments(JOB)).contains("orphan");
    }

    /** A slip of the pen would make orphans of what is referred to from there. */
    @Test
    void stopsAtAGivenDirectoryWithoutCheckpoints() throws IOException {
        String empty = Files.createDirectories(root.resolve("empty")).toUri().toString();
        assertThat(run("--delete", "--checkpoints", empty)).isEqualTo(3);
        assertThat(err.toString()).contains("No checkpoint was found in file:" + root);
        assertThat(store.segments(JOB)).contains("orphan");
        configuration.set(1, "execution.checkpointing.dir: " + empty);
        assertThat(run("--delete", "--checkpoints", empty)).as("whoever else").isEqualTo(3);
    }

    @Test
    void stopsAtACheckpointThatCannotBeReadTheSecondTime() throws IOException {
        onceListed(() -> Files.write(store.checkpoint(OTHER, 8, NOW), new byte[1]));
        assertThat(run("--delete")).isEqualTo(3);
        assertThat(store.segments(JOB)).contains("orphan");
    }

    /** With one configuration, and one image, in two regions, say. */
    @Test
    void refusesWhatAClusterHasWrittenOfWhichItSeesNoCheckpoint() throws IOException {
        Path theirs = root.resolve("checkpoints-of-another");
        store.segmentOf(store.checkpoints(), JOB, "our-orphan", OLD);
        store.segmentOf(theirs, JOB, "theirs", OLD);
        assertThat(run("--delete")).isEqualTo(3);

        assertThat(store.segments(JOB)).contains("theirs", "orphan").doesNotContain("our-orphan");
        assertThat(err.toString())
                .contains("Another cluster writes")
                .contains("--checkpoints DIR")
                .containsPattern("--no-checkpoints-of " + JOB + "/[0-9a-f]{8}");

        // Nor on the word that ours has ended.
        assertThat(run("--delete", "--ended", JOB)).isEqualTo(3);
        assertThat(store.segments(JOB)).contains("theirs", "orphan");

        Store.metadata(
                theirs.resolve(JOB).resolve("chk-5"),
                NOW,
                store.segmentOf(theirs, JOB, "theirs", OLD));
        store.segmentOf(theirs, JOB, "their-orphan", OLD);
        assertThat(run("--delete", "--checkpoints", theirs.toUri().toString())).isZero();
        assertThat(store.segments(JOB))
                .containsExactlyInAnyOrder("referred-1", "referred-2", "theirs", "young");
    }

    /** As after a start from the other cluster's checkpoint. */
    @Test
    void aReferenceToASegmentMakesItsClusterNoKnownOne() throws IOException {
        Path theirs = root.resolve("checkpoints-of-another");
        store.checkpoint(JOB, 8, NOW, store.segmentOf(theirs, JOB, "referred-to", OLD));
        store.segmentOf(theirs, JOB, "theirs", OLD);

        assertThat(run("--delete")).isEqualTo(3);
        assertThat(store.segments(JOB)).contains("referred-to", "theirs");
    }

    @Test
    void deletesWhatAClusterHasWrittenThatIsSaidToHaveNoCheckpoint() throws IOException {
        store.segmentOf(root.resolve("gone"), JOB, "theirs", OLD);
        assertThat(run()).isEqualTo(3);
        Matcher remedy = Pattern.compile("--no-checkpoints-of (\\S+)").matcher(err.toString());
        assertThat(remedy.find()).isTrue();
        String theirs = remedy.group(1);
        assertThat(run("--delete", "--no-checkpoints-of", theirs)).as("may run").isEqualTo(2);
        assertThat(err.toString()).contains("give --ended " + theirs);
        assertThat(store.segments(JOB)).contains("theirs", "orphan");

        assertThat(run("--delete", "--ended", theirs)).as("no checkpoint").isEqualTo(3);
        assertThat(store.segments(JOB)).contains("theirs", "orphan");

        assertThat(run("--delete", "--ended", theirs, "--no-checkpoints-of", theirs)).isZero();
        assertThat(store.segments(JOB))
                .containsExactlyInAnyOrder("referred-1", "referred-2", "young");
    }

    /** The other one may run, and complete no checkpoint. */
    @Test
    void theEndOfAJobOnOneClusterSaysNothingOfAnother() throws IOException {
        Path ended = root.resolve("checkpoints-of-another");
        store.segmentOf(ended, OTHER, "theirs", OLD);
        store.segmentOf(store.checkpoints(), OTHER, "our-next", OLD);
        Store.metadata(ended.resolve(OTHER).resolve("chk-5"), OLD);
        Store.metadata(store.checkpoints().resolve(OTHER).resolve("chk-8"), OLD);
        String theirs = OTHER + "/" + ClusterMark.show(ClusterMark.of(flink(ended)));
        String directory = ended.toUri().toString();

        assertThat(run("--delete", "--checkpoints", directory)).isZero();
        assertThat(store.segments(OTHER)).contains("theirs", "our-next");

        assertThat(run("--delete", "--checkpoints", directory, "--ended", theirs)).isZero();
        assertThat(store.segments(OTHER)).contains("our-next").doesNotContain("theirs");
    }

    private static org.apache.flink.core.fs.Path flink(Path path) {
        return new org.apache.flink.core.fs.Path(path.toUri());
    }

    /** A savepoint was copied to where the job's checkpoints are. */
    @Test
    void findsCheckpointsBelowADirectoryThatIsASavepoint() throws IOException {
        Store.metadata(store.checkpoints().resolve(JOB), NOW);
        store.checkpoint(JOB, 9, NOW, store.segment(JOB, "below", OLD));
        assertThat(run("--delete", "--ended", JOB)).isZero();
        assertThat(store.segments(JOB)).contains("below");
    }

    /** One of them completes checkpoints, which say nothing of the other's log. */
    @Test
    void goesByTheCheckpointsOfTheClusterThatWrote() throws IOException {
        Path theirs = root.resolve("checkpoints-of-another");
        Store.metadata(theirs.resolve(JOB).resolve("chk-5"), OLD);
        store.segmentOf(theirs, JOB, "their-next", OLD - HOUR);
        store.segmentOf(store.checkpoints(), JOB, "our-orphan", OLD - HOUR);
        assertThat(run("--delete", "--checkpoints", theirs.toUri().toString())).isZero();
        assertThat(store.segments(JOB))
                .contains("their-next", "orphan")
                .doesNotContain("our-orphan");
    }

    /** What others may write below the base path must not become what we delete. */
    @Test
    void followsNoSymbolicLink() throws IOException {
        Path precious = Files.createDirectories(root.resolve("precious"));
        Path log = Files.createDirectories(precious.resolve("dstl"));
        Path file = Files.write(log.resolve(store.uuid("kept")), new byte[10]);
        Files.setLastModifiedTime(file, FileTime.fromMillis(OLD));
        store.checkpoint(OTHER, 3, NOW);
        Files.createSymbolicLink(store.log().resolve(Store.job(3)), precious);
        store.checkpoint(Store.job(3), 3, NOW);
        Files.delete(
                store.log().resolve(OTHER).resolve("dstl").resolve(store.uuid("of-unknown-job")));
        Files.delete(store.log().resolve(OTHER).resolve("dstl"));
        Files.createSymbolicLink(store.log().resolve(OTHER).resolve("dstl"), log);
        Path link = store.log().resolve(JOB).resolve("dstl").resolve(store.uuid("link"));
        Files.createSymbolicLink(link, file);
        assertThat(run("--delete")).isZero();

        assertThat(file).exists();
        assertThat(link).exists();
        assertThat(out.toString())
                .contains("left alone, as it is a symbolic link: file:" + link)
                .contains("symbolic link: file:" + store.log().resolve(Store.job(3)))
                .contains("Deleted: 1,");
    }

    @Test
    void takesNothingForASegmentThatIsNotNamedAsOne() throws IOException {
        Path directory = store.log().resolve(JOB).resolve("dstl");
        for (String name : List.of("notes.txt", "5f0c", ".." + JOB)) {
            Path file = Files.write(directory.resolve(name), new byte[10]);
            Files.setLastModifiedTime(file, FileTime.fromMillis(OLD));
        }
        assertThat(run("--delete")).isZero();
        assertThat(store.segments(JOB)).contains("notes.txt", "5f0c", ".." + JOB);
    }

    @Test
    void refusesAnAgeBelowTheCheckpointTimeout() throws IOException {
        configuration.add("execution.checkpointing.timeout: 30 min");
        assertThat(run("--min-age", "29 min")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--min-age is 29 min")
                .contains("execution.checkpointing.timeout, 30 min");
        assertThat(run("--min-age", "30 min")).isZero();
    }

    @Test
    void refusesToSearchWithoutALogOrCheckpoints() throws IOException {
        String log = configuration.remove(0);
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("state.changelog.dstl.dfs.base-path is not set");
        configuration.set(0, log);
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("execution.checkpointing.dir is not set");
        assertThat(run("--checkpoints", store.checkpoints().toUri().toString())).isZero();
    }

    @Test
    void showsNoSecretOfTheConfiguration() throws IOException {
        configuration.add("s3.secret-key: MARKED-SECRET");
        String empty = Files.createDirectories(root.resolve("MARKED-SECRET")).toUri().toString();
        assertThat(run("--checkpoints", empty)).isEqualTo(3);
        assertThat(err.toString())
                .contains("No checkpoint was found in file:" + root + "/******")
                .doesNotContain("MARKED-SECRET");
    }

    /** Such as a class that is missing: exit code 1 would say that the orphans were found. */
    @Test
    void stopsAtAnErrorWithoutShowingASecret() throws IOException {
        configuration.add("s3.secret-key: MARKED-SECRET");
        onceListed(
                () -> {
                    throw new NoClassDefFoundError("of MARKED-SECRET");
                });
        assertThat(run("--delete")).isEqualTo(3);
        assertThat(err.toString()).contains("NoClassDefFoundError: of ******");
        assertThat(store.segments(JOB)).contains("orphan");
    }

    /** As on an object store with many of them, where each request takes its time. */
    @Test
    void saysHowFarItIs() throws IOException {
        AtomicLong at = new AtomicLong(NOW);
        clock = () -> at.addAndGet(5_000);
        assertThat(run("--delete")).isZero();
        assertThat(err.toString().lines())
                .contains(
                        "Checkpoints read so far: 1",
                        "Looked into: 1 of 1 base paths; about 0 s left",
                        "Looked through: 2 of 2 jobs; about 0 s left",
                        "Deleted: 1 of the next 1 orphans; about 0 s left");
        assertThat(out.toString()).contains("Deleted: 1, in bytes 10.");
    }

    /** Whatever the reason: here there is something else by its name meanwhile. */
    @Test
    void saysWhatItCouldNotDelete() throws IOException {
        Path orphan = store.log().resolve(JOB).resolve("dstl").resolve(store.uuid("orphan"));
        onceListed(
                () -> {
                    Files.delete(orphan);
                    Files.write(Files.createDirectory(orphan).resolve("file"), new byte[1]);
                });
        assertThat(run("--delete")).isEqualTo(1);
        assertThat(out.toString())
                .contains("not deleted: file:" + orphan + ": ")
                .contains("Deleted: 0, in bytes 0.")
                .contains("Could not be deleted, see above: 1, in bytes 10.");
    }

    @Test
    void showsWhatItHasFoundWhereItIsStopped() throws IOException {
        onceListed(() -> Files.write(store.checkpoint(OTHER, 8, NOW), new byte[1]));
        assertThat(run("--delete")).isEqualTo(3);
        assertThat(out.toString())
                .contains("Not all was looked at, so this is only what was found until then:")
                .contains("Orphans: 1, in bytes 10.")
                .contains("Deleted: 0, in bytes 0.");
    }

    @Test
    void refusesWhatIsNoJobId() throws IOException {
        assertThat(run("--ended", "my-job")).isEqualTo(2);
        assertThat(err.toString()).contains("--ended is 'my-job'");
    }
}
