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
package io.dstl.fs;

import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource;
import io.dstl.secret.Redaction;
import io.dstl.store.ChoosingOpener;
import io.dstl.store.Closeables;
import java.io.IOException;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;

/**
 * What a TaskManager needs to restore a job: readers over one shared cache of downloads. Owns the
 * cache, its threads and what opens segments; closing the view deletes every local copy.
 */
final class DstlStorageView implements StateChangelogStorageView<ChangelogStateHandleStreamImpl> {

    private final ContentSource source;
    private final ChoosingOpener opener;
    private final DownloadThreads threads;
    private final Redaction redaction;

    DstlStorageView(
            ContentSource source,
            ChoosingOpener opener,
            DownloadThreads threads,
            Redaction redaction) {
        this.source = source;
        this.opener = opener;
        this.threads = threads;
        this.redaction = redaction;
    }

    @Override
    public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
        return new ChangeReader(source, redaction);
    }

    @Override
    public void close() throws IOException {
        Closeables.<IOException>closeAll(source::close, threads::close, opener::close);
    }
}
