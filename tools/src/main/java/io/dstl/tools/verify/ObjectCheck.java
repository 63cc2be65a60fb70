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

import io.dstl.fs.read.SegmentVerifier;
import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.secret.Redaction;
import io.dstl.store.SegmentOpener;
import io.dstl.tools.checkpoint.Directory;
import io.dstl.tools.cli.ConnectionPool;
import io.dstl.tools.cli.OneLine;
import io.dstl.tools.verify.Finding.Depth;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/**
 * Looks at one object: whether it is there and can be read, its size, and what is in it if it is a
 * segment.
 *
 * <p>Any thread; blocks. Holds one block and one change of a segment.
 */
final class ObjectCheck {
    private final SegmentOpener opener;
    private final SegmentVerifier segments;
    private final Redaction redaction;

    ObjectCheck(SegmentOpener opener, Redaction redaction) {
        this.opener = opener;
        this.segments = new SegmentVerifier(opener);
        this.redaction = redaction;
    }

    /** Never fails: what can't be read is a finding too. */
    Finding check(StoredObject object) {
        try {
            FileStatus status = Directory.status(object.path());
            if (status.isDir()) {
                return finding(object, Verdict.DAMAGED, "it is a directory, and no object");
            }
            if (!object.hasSize(status.getLen())) {
                return finding(
                        object,
                        Verdict.DAMAGED,
                        "it has " + status.getLen() + " bytes instead of " + object.expectedSize());
            }
            return object.isSegment() ? segment(object) : stateFile(object, status.getLen());
        } catch (FileNotFoundException e) {
            return finding(object, Verdict.MISSING, "it is not in the store");
        } catch (SegmentCorruptedException e) {
            return finding(object, Verdict.DAMAGED, e.damage());
        } catch (UnsupportedFileSystemSchemeException e) {
            return Finding.of(
                    object,
                    Verdict.UNREADABLE,
                    "this Flink has no file system for " + object.path().toUri().getScheme(),
                    "put its plugin into plugins/, then repeat");
        } catch (Exception e) {
            return Finding.of(
                    object,
                    Verdict.UNREADABLE,
                    OneLine.of(redaction.text(String.valueOf(e))),
                    ConnectionPool.remedy(e).orElse(Verdict.UNREADABLE.remedy()));
        }
    }

    private Finding segment(StoredObject object) throws Exception {
        switch (segments.verify(object.handle(), object.offsets())) {
            case CHECKSUMS:
                return Finding.intact(object, Depth.CHECKSUMS);
            case STRUCTURE:
                return Finding.intact(object, Depth.STRUCTURE);
        }
        throw new AssertionError(object.path());
    }

    /**
     * Reads one byte. A store tells the size also of an object that it serves to nobody, such as
     * one that a lifecycle rule has archived.
     */
    private Finding stateFile(StoredObject object, long bytes) throws IOException {
        try (FSDataInputStream content = opener.open(object.handle())) {
            if (bytes > 0 && content.read() < 0) {
                return finding(object, Verdict.DAMAGED, "its content ends before its first byte");
            }
        }
        return Finding.intact(object, Depth.SIZE);
    }

    private Finding finding(StoredObject object, Verdict verdict, String problem) {
        return Finding.of(object, verdict, OneLine.of(redaction.text(problem)));
    }
}
