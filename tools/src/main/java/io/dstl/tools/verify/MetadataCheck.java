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

import io.dstl.secret.Redaction;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.OneLine;
import io.dstl.tools.cli.StoreOfPath;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/**
 * Reads the metadata of one checkpoint and notes what objects it needs; tells apart why it can't be
 * read: the path, the store, or what is in the file.
 */
final class MetadataCheck {
    private final Redaction redaction;
    private final NeededObjects needed;
    private final Finding finding;
    private VerifiedCheckpoint checkpoint;

    /**
     * @param path of the checkpoint's directory or metadata
     * @param needed gets what the checkpoint needs, as far as that can be read
     * @throws CommandFailure if this Flink has no file system for it
     */
    MetadataCheck(Path path, Redaction redaction, NeededObjects needed) throws CommandFailure {
        this.checkpoint = new VerifiedCheckpoint(path);
        this.redaction = redaction;
        this.needed = needed;
        this.finding = read();
    }

    VerifiedCheckpoint checkpoint() {
        return checkpoint;
    }

    /** Of the metadata itself. */
    Finding finding() {
        return finding;
    }

    private Finding read() throws CommandFailure {
        try {
            StoreOfPath.of("CHECKPOINT", checkpoint.path());
            MetadataFile file = MetadataFile.at(checkpoint.path());
            checkpoint = new VerifiedCheckpoint(file.path());
            return parse(file);
        } catch (FileNotFoundException e) {
            return Finding.ofMetadata(
                    checkpoint.path(),
                    Verdict.MISSING,
                    "there is no " + MetadataFile.NAME + " here, so no complete checkpoint",
                    "see that the path is right, or restore another checkpoint");
        } catch (CommandFailure e) {
            throw e;
        } catch (Exception e) {
            return unreadable(e, Verdict.UNREADABLE.remedy());
        }
    }

    private Finding parse(MetadataFile file) throws IOException {
        CheckpointMetadata metadata;
        try {
            metadata = file.read();
        } catch (MetadataFile.TooLargeException e) {
            return unreadable(
                    e, "give java more memory, -Xmx; if that does not help, it is damaged");
        } catch (MetadataFile.NoMetadataException e) {
            return Finding.ofMetadata(
                    file.path(),
                    Verdict.DAMAGED,
                    "it is nothing that this Flink can read as metadata: " + text(e.getCause()),
                    "use the lib/ of the Flink that wrote it if that is a later one; else put an"
                            + " intact copy in its place (and run no 'orphans' then until the job"
                            + " has completed another checkpoint: it goes by the file's age), or"
                            + " restore another checkpoint");
        }
        try {
            needed.add(checkpoint, metadata);
            return Finding.ofMetadata(file.path(), Verdict.INTACT, "", "");
        } catch (IOException e) {
            return unreadable(e, "use a later version of dstl");
        }
    }

    private Finding unreadable(Exception failure, String remedy) {
        return Finding.ofMetadata(checkpoint.path(), Verdict.UNREADABLE, text(failure), remedy);
    }

    private String text(Throwable failure) {
        return OneLine.of(redaction.text(failure.toString()));
    }
}
