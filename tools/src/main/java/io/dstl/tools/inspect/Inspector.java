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

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ExitCode;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.cli.StoreOfPath;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.util.function.ThrowingConsumer;

/** Inspects what a path leads to, and prints what it has found. For one thread. */
final class Inspector {
    /** All tables of keys together take no more of the heap than one part of so many. */
    private static final int PART_OF_HEAP = 4;

    private final InspectSettings settings;
    private final EntropyMarker entropy;
    private final Redaction redaction;
    private final LongSupplier now;
    private final PrintWriter out;
    private final PrintWriter err;
    private Optional<Exception> stopped = Optional.empty();

    /**
     * @param now in ms since the epoch, UTC
     * @param err gets a line every few seconds
     */
    Inspector(
            InspectSettings settings,
            EntropyMarker entropy,
            Redaction redaction,
            LongSupplier now,
            PrintWriter out,
            PrintWriter err) {
        this.settings = settings;
        this.entropy = entropy;
        this.redaction = redaction;
        this.now = now;
        this.out = out;
        this.err = err;
    }

    /**
     * @return one of {@link ExitCode}
     * @throws CommandFailure if the path leads to nothing of a log, or metadata can't be read
     */
    int inspect(String text, boolean json) throws Exception {
        Path path = pathOf(text);
        StoreOfPath.of("PATH", path);
        InspectTarget target = targetAt(path);
        ObjectNode document;
        if (target.checkpoint().isPresent()) {
            document = checkpoint(target.checkpoint().get());
            print(document, json, CheckpointText::print);
        } else {
            refuseKey();
            if (target.segment().isPresent()) {
                document = segment(target.segment().get());
                print(document, json, SegmentText::printSegment);
            } else {
                document = basePath(path, target.directories());
                print(document, json, SegmentText::printBasePath);
            }
        }
        if (stopped.isPresent()) {
            throw stopped.get();
        }
        return document.get("damaged").isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private InspectTarget targetAt(Path path) throws Exception {
        if (!entropy.isIn(path)) {
            return InspectTarget.at(path);
        }
        Progress progress = new Progress(err, now);
        try (ParallelWork work = new ParallelWork("inspect", settings.threads(), progress)) {
            return InspectTarget.at(path, entropy, work, progress);
        }
    }

    /**
     * @param search what it has found is shown before its failure is thrown
     */
    private void run(ThrowingConsumer<Progress, Exception> search) {
        try {
            search.accept(new Progress(err, now));
        } catch (Exception e) {
            stopped = Optional.of(e);
        }
    }

    private static Path pathOf(String text) throws CommandFailure {
        try {
            return new Path(text.trim());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    "'"
                            + Redaction.OF_URIS.text(text)
                            + "' is no path: give one such as s3://b/chk-7");
        }
    }

    private void refuseKey() throws CommandFailure {
        if (settings.key().isPresent()) {
            throw CommandFailure.usage(
                    "--state and --key need a checkpoint, which tells whose the changes are: give"
                            + " its directory");
        }
    }

    private ObjectNode checkpoint(MetadataFile file) throws Exception {
        CheckpointMetadata metadata;
        List<OperatorLogs> operators;
        try {
            metadata = file.read();
            operators = OperatorLogs.of(metadata);
        } catch (IOException | RuntimeException e) {
            throw CommandFailure.stopped(
                    "Can't read the checkpoint "
                            + Redacted.of(file.path())
                            + ". If it was written by another version of Flink, use that version's"
                            + " lib/",
                    e);
        }
        if (operators.isEmpty()) {
            throw CommandFailure.usage(
                    Redacted.of(file.path())
                            + " has no changelog: give a checkpoint of a job with"
                            + " state.changelog.enabled, no canonical savepoint");
        }
        CheckpointInspection inspection =
                new CheckpointInspection(metadata, settings, redaction, tableBytes());
        run(progress -> inspection.run(operators, progress));
        if (stopped.isEmpty()
                && inspection.findings().damages.count() > 0
                && Directory.isGone(file.path())) {
            stopped =
                    Optional.of(
                            CommandFailure.stopped(
                                    "The checkpoint "
                                            + Redacted.of(file.path())
                                            + " was deleted while it was read, and segments with"
                                            + " it. Give a newer one; a running job keeps the last"
                                            + " execution.checkpointing.num-retained of them",
                                    null));
        }
        return CheckpointDocument.of(
                file, metadata.getCheckpointId(), inspection.findings(), settings, now.getAsLong());
    }

    private long tableBytes() {
        return Runtime.getRuntime().maxMemory() / PART_OF_HEAP / settings.threads();
    }

    private ObjectNode segment(FileStatus file) {
        SegmentInspection found =
                new SegmentInspection(
                                new FileStateHandle(file.getPath(), file.getLen()),
                                settings.top(),
                                new Progress(err, now))
                        .run(redaction);
        return SegmentDocuments.ofSegment(file, found, settings.top(), now.getAsLong());
    }

    private ObjectNode basePath(Path path, List<InspectTarget.LogDirectory> directories) {
        BasePathInspection found = new BasePathInspection(settings, redaction);
        run(progress -> found.run(directories, progress));
        return SegmentDocuments.ofBasePath(
                Redacted.of(path).toString(), found, settings.top(), now.getAsLong());
    }

    /**
     * @param tables makes text of a document
     */
    private void print(
            ObjectNode document, boolean json, BiConsumer<ObjectNode, PrintWriter> tables)
            throws IOException {
        document.put("complete", stopped.isEmpty());
        if (json) {
            out.println(
                    new ObjectMapper()
                            .writerWithDefaultPrettyPrinter()
                            .writeValueAsString(document));
            out.flush();
        } else {
            if (stopped.isPresent()) {
                out.println("Not all was read, so this is only what was found until then:");
            }
            tables.accept(document, out);
        }
    }
}
