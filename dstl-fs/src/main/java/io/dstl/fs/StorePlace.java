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

import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.segment.ClusterMark;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore;
import io.dstl.store.FileUploads;
import io.dstl.store.LateRequests;
import io.dstl.store.SegmentDirectory;
import io.dstl.store.SegmentDirectory.SegmentNames;
import io.dstl.store.SegmentStore;
import io.dstl.store.StoreProvider;
import io.dstl.store.StoreProviders;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FileSystem;

/**
 * The directory of the segments and the client that stores them. Owns the client's connections.
 *
 * <p><b>Threading.</b> Opened once, then closed once.
 */
final class StorePlace implements AutoCloseable {

    private final DstlSettings settings;
    private final FileSystem files;
    private final StoreProvider.Decision decision;
    private final SystemSource system;
    private final SegmentNames names;
    private Optional<StoreProvider.Access> access = Optional.empty();

    private StorePlace(
            DstlSettings settings,
            FileSystem files,
            StoreProvider.Decision decision,
            SystemSource system,
            SegmentNames names) {
        this.settings = settings;
        this.files = files;
        this.decision = decision;
        this.system = system;
        this.names = names;
    }

    /**
     * @param providers of the object stores with a direct client
     * @throws IllegalConfigurationException if no file system serves the base path, or if the
     *     direct client is required and does not support the configuration
     * @throws IOException if the file system does not start
     */
    static StorePlace of(
            DstlSettings settings,
            Configuration config,
            SystemSource system,
            StoreProviders providers)
            throws IOException {
        FileSystem files = settings.basePath().fileSystem();
        StoreProvider.Decision decision = providers.decide(settings.basePath().path(), files);
        return new StorePlace(settings, files, decision, system, names(config, system));
    }

    /**
     * @param random names, which keep a random part
     */
    static SegmentNames names(Configuration config, SegmentNames random) {
        OptionalInt mark = ClusterMark.of(config);
        return mark.isPresent()
                ? () -> ClusterMark.put(random.next(), mark.getAsInt())
                : () -> ClusterMark.without(random.next());
    }

    /** Names of segments; with the mark of the cluster that writes them, if it has one. */
    SegmentNames names() {
        return names;
    }

    SegmentStore open(JobID job, StorageThreads threads, Redaction redaction) {
        if (decision.isDirect()) {
            StoreProvider.Access opened =
                    decision.open(threads.requests(), threads.timer(), system, system, redaction);
            access = Optional.of(opened);
            return opened.store(settings.basePath().path(), job, threads.uploads());
        }
        return new FileSystemSegmentStore(
                files,
                SegmentDirectory.on(files, settings.basePath().path(), job),
                settings.upload().bufferBytes(),
                threads.uploads(),
                redaction);
    }

    /** The direct client's way to store files; once it is open, if there is one. */
    Optional<FileUploads> files(LateRequests late) {
        return access.flatMap(client -> client.files(settings.basePath().path(), late));
    }

    @Override
    public void close() {
        access.ifPresent(StoreProvider.Access::close);
    }

    /** The client, and where it connects to or why it was chosen. */
    @Override
    public String toString() {
        return decision.toString();
    }
}
