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

import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.tools.checkpoint.MetadataFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.function.Predicate;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;

class ObjectCheckTest extends VerifyFixture {
    @Test
    void moreThreadsThanConnectionsAreNoFaultOfTheStore() throws IOException {
        String said = "Unable to execute HTTP request: Timeout waiting for connection from pool";

        assertThat(remedyOf(said)).startsWith("give fewer --threads than fs.s3a.connection.max");
        assertThat(remedyOf("Access denied")).isEqualTo(Verdict.UNREADABLE.remedy());
    }

    /** Flink's local file system finds no file where it cannot look at one. */
    @Test
    void aFileThatThisUserCannotSeeIsNotMissing() throws IOException {
        ObjectCheck check = new ObjectCheck(new FileSystemOpener(), Redaction.OF_URIS);
        StoredObject object = segmentOfOlder();
        java.nio.file.Path file = Paths.get(object.path().getPath());
        Files.delete(file);
        assertThat(check.check(object).verdict()).isEqualTo(Verdict.MISSING);

        Files.createSymbolicLink(file, file);
        Finding found = check.check(object);
        assertThat(found.verdict()).isEqualTo(Verdict.UNREADABLE);
        assertThat(found.problem()).contains("Cannot open");
    }

    /** As of an object that the store has archived: it has a size, and cannot be read. */
    @Test
    void aStateFileThatIsThereButCannotBeReadIsNotIntact() throws IOException {
        StoredObject object = objectOfOlder(one -> !one.isSegment());
        ObjectCheck refused =
                new ObjectCheck(
                        file -> {
                            throw new IOException("InvalidObjectState");
                        },
                        Redaction.OF_URIS);
        Finding found = refused.check(object);
        assertThat(found.verdict()).isEqualTo(Verdict.UNREADABLE);
        assertThat(found.problem()).contains("InvalidObjectState");

        ObjectCheck served = new ObjectCheck(new FileSystemOpener(), Redaction.OF_URIS);
        assertThat(served.check(object).verdict()).isEqualTo(Verdict.INTACT);
    }

    private StoredObject segmentOfOlder() throws IOException {
        return objectOfOlder(StoredObject::isSegment);
    }

    private StoredObject objectOfOlder(Predicate<StoredObject> which) throws IOException {
        NeededObjects needed = new NeededObjects();
        needed.add(new VerifiedCheckpoint(null), MetadataFile.at(new Path(older.toUri())).read());
        return needed.all().stream().filter(which).findFirst().get();
    }

    private String remedyOf(String failure) throws IOException {
        ObjectCheck check =
                new ObjectCheck(
                        segment -> {
                            throw new IOException(failure);
                        },
                        Redaction.OF_URIS);
        Finding found = check.check(segmentOfOlder());
        assertThat(found.verdict()).isEqualTo(Verdict.UNREADABLE);
        return found.remedy();
    }
}
