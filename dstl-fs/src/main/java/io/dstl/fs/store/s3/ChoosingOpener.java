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
package io.dstl.fs.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.option.S3ClientChoice;
import io.dstl.fs.store.SegmentOpener;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens segments of a checkpoint, wherever it was written: those on S3 by the direct client where
 * that is to be used for their scheme, all others by Flink's file systems. Decides when a scheme is
 * met first.
 *
 * <p><b>Threading.</b> Any thread.
 */
public final class ChoosingOpener implements SegmentOpener, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(ChoosingOpener.class);

    private final S3ClientChoice choice;
    private final Configuration config;
    private final SegmentOpener files;
    private final Function<S3Decision, S3Access> direct;

    @GuardedBy("this")
    private final Map<String, Optional<S3Access>> byScheme = new HashMap<>();

    /**
     * @param direct access by the direct client; closed with this
     */
    public ChoosingOpener(
            S3ClientChoice choice,
            Configuration config,
            SegmentOpener files,
            Function<S3Decision, S3Access> direct) {
        this.choice = choice;
        this.config = config;
        this.files = files;
        this.direct = direct;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        if (segment instanceof FileStateHandle) {
            Path path = ((FileStateHandle) segment).getFilePath();
            if (S3Object.isOn(path)) {
                Optional<S3Access> access = access(path);
                if (access.isPresent()) {
                    return access.get().opener().open(segment);
                }
            }
        }
        return files.open(segment);
    }

    private synchronized Optional<S3Access> access(Path path) throws IOException {
        String scheme = path.toUri().getScheme();
        Optional<S3Access> known = byScheme.get(scheme);
        if (known == null) {
            known = decide(path);
            byScheme.put(scheme, known);
        }
        return known;
    }

    private Optional<S3Access> decide(Path path) throws IOException {
        FileSystem served = FileSystem.getUnguardedFileSystem(path.toUri());
        try {
            S3Decision decision = S3Decision.of(choice, config, path, served);
            LOG.info("Segments on {} are read by {}", path.toUri().getScheme(), decision);
            return decision.isDirect() ? Optional.of(direct.apply(decision)) : Optional.empty();
        } catch (IllegalConfigurationException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public synchronized void close() {
        byScheme.values().forEach(access -> access.ifPresent(S3Access::close));
        byScheme.clear();
    }
}
