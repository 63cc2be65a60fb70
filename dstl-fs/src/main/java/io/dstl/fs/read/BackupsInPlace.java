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
package io.dstl.fs.read;

import io.dstl.fs.backup.LogBackup.BackupFile;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.SetInput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.CloseableRegistry;

/**
 * Reads backups in place, and all other change sets from another source: a backup is on local disk
 * and uncompressed already, so a cache could only copy it once more. Owns the other source.
 */
public final class BackupsInPlace implements ContentSource {

    private final ContentSource backups;
    private final ContentSource others;

    public BackupsInPlace(UncachedSource backups, ContentSource others) {
        this.backups = backups;
        this.others = others;
    }

    @Override
    public SetInput open(SetRequest set, CloseableRegistry cancellation) throws IOException {
        return (isBackup(set) ? backups : others).open(set, cancellation);
    }

    private static boolean isBackup(SetRequest set) {
        return BackupFile.isHandle(set.segment());
    }

    @Override
    public FetchAhead fetchAhead(List<SetRequest> sets) {
        return others.fetchAhead(
                sets.stream().filter(set -> !isBackup(set)).collect(Collectors.toList()));
    }

    @Override
    public void close() throws IOException {
        others.close();
    }
}
