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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.backup.BackupDirectories;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SetInput;
import io.dstl.fs.testing.Changes;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.testing.CountedNames;
import io.dstl.testkit.ManualTimer;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupsInPlaceTest {

    @TempDir Path disk;

    @Test
    void readsABackupPastTheCacheAndAllElseThroughIt() throws Exception {
        LogBackup backup =
                new BackupDirectories(new CountedNames("b"), Runnable::run, new ManualTimer())
                        .open(disk);
        List<SegmentLocation> all = new ArrayList<>();
        backup.keep(Changes.random(1, 10).seal(), each -> each.ifPresent(all::add));
        SegmentLocation kept = all.get(0);
        StreamStateHandle segment =
                new FileStateHandle(new org.apache.flink.core.fs.Path("store/segment"), 1);
        Cache cache = new Cache();
        BackupsInPlace source =
                new BackupsInPlace(new UncachedSource(new FileSystemOpener()), cache);

        try (InputStream content = source.open(request(kept.segment(), kept.offset())).content()) {
            assertThat(content.readAllBytes()).hasSizeGreaterThan(10);
        }
        source.open(request(segment, 7)).content().close();
        source.close();

        assertThat(cache.opened).containsExactly(segment);
        assertThat(cache.closed).isTrue();
    }

    private static SetRequest request(StreamStateHandle segment, long offset) {
        return new SetRequest(segment, offset, ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    private static final class Cache implements ContentSource {
        final List<StreamStateHandle> opened = new ArrayList<>();
        boolean closed;

        @Override
        public SetInput open(SetRequest set, CloseableRegistry cancellation) {
            opened.add(set.segment());
            return SetInput.unindexed(set.segment(), set.offset(), InputStream.nullInputStream());
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
