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
package io.dstl.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.StoreProvider.Access;
import io.dstl.store.StoreProvider.Decision;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens segments of a checkpoint, wherever it was written: by the direct client of an object store
 * if that is chosen for the scheme, all others by Flink's file systems. Decides when a scheme first
 * occurs.
 *
 * <p><b>Threading.</b> Any thread. The first thread that needs a scheme loads its file system,
 * which may block for long; others that need the same one wait for it, all others and {@link
 * #close} don't. If loading fails, they fail too; if it was interrupted, the next of them loads it.
 */
public final class ChoosingOpener implements SegmentOpener, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(ChoosingOpener.class);

    private final StoreProviders providers;
    private final SegmentOpener files;
    private final Function<Decision, Access> direct;
    private final FunctionWithException<URI, FileSystem, IOException> fileSystems;

    /** Decided, or being decided by the thread that has put the future here. */
    @GuardedBy("this")
    private final Map<String, CompletableFuture<Optional<Access>>> byScheme = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param providers know which paths have a choice of clients
     * @param direct access by the direct client; closed with this
     */
    public ChoosingOpener(
            StoreProviders providers, SegmentOpener files, Function<Decision, Access> direct) {
        this(providers, files, direct, FileSystem::getUnguardedFileSystem);
    }

    /**
     * @param fileSystems loads the file system of a path; may block for long
     */
    ChoosingOpener(
            StoreProviders providers,
            SegmentOpener files,
            Function<Decision, Access> direct,
            FunctionWithException<URI, FileSystem, IOException> fileSystems) {
        this.providers = providers;
        this.files = files;
        this.direct = direct;
        this.fileSystems = fileSystems;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        if (segment instanceof FileStateHandle) {
            Path path = ((FileStateHandle) segment).getFilePath();
            if (providers.isOn(path)) {
                Optional<Access> access = access(path);
                if (access.isPresent()) {
                    return access.get().opener().open(segment);
                }
            }
        }
        return files.open(segment);
    }

    private Optional<Access> access(Path path) throws IOException {
        CompletableFuture<Optional<Access>> own = new CompletableFuture<>();
        while (true) {
            CompletableFuture<Optional<Access>> known;
            synchronized (this) {
                if (closed) {
                    throw closedFailure();
                }
                known = byScheme.putIfAbsent(path.toUri().getScheme(), own);
            }
            if (known == null) {
                return load(path, own);
            }
            try {
                return await(known);
            } catch (CancellationException e) {
                // The loading thread was interrupted, but not this one.
                LOG.debug("Loading the file system of {} once more", Redacted.of(path), e);
            }
        }
    }

    private Optional<Access> load(Path path, CompletableFuture<Optional<Access>> own)
            throws IOException {
        try {
            Optional<Access> decided = decide(path);
            if (!keep(decided, own)) {
                decided.ifPresent(Access::close);
                throw closedFailure();
            }
            return decided;
        } catch (Throwable t) {
            forget(path.toUri().getScheme(), own);
            if (Thread.currentThread().isInterrupted() || tellsOfAnInterruption(t)) {
                own.cancel(false);
            } else {
                own.completeExceptionally(t);
            }
            throw t;
        }
    }

    private static boolean tellsOfAnInterruption(Throwable failure) {
        // Its subclasses are timeouts.
        return ExceptionUtils.findThrowable(
                        failure,
                        cause ->
                                cause instanceof InterruptedException
                                        || cause instanceof ClosedByInterruptException
                                        || cause.getClass() == InterruptedIOException.class)
                .isPresent();
    }

    /** Under the lock, so that the access is either closed with this or not kept. */
    private synchronized boolean keep(
            Optional<Access> decided, CompletableFuture<Optional<Access>> own) {
        if (!closed) {
            own.complete(decided);
        }
        return !closed;
    }

    /** The next thread that needs the scheme decides anew. */
    private synchronized void forget(String scheme, CompletableFuture<Optional<Access>> own) {
        byScheme.remove(scheme, own);
    }

    /**
     * @throws CancellationException if the thread that decides was interrupted
     */
    private static Optional<Access> await(CompletableFuture<Optional<Access>> decision)
            throws IOException {
        try {
            return decision.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while a file system was loaded");
        } catch (ExecutionException e) {
            // A new exception, as two threads must not throw the same one.
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    private static IOException closedFailure() {
        return new IOException("The opener of segments is closed");
    }

    private Optional<Access> decide(Path path) throws IOException {
        FileSystem served = fileSystems.apply(path.toUri());
        try {
            Decision decision = providers.decide(path, served);
            LOG.info("Segments on {} are read by {}", path.toUri().getScheme(), decision);
            return decision.isDirect() ? Optional.of(direct.apply(decision)) : Optional.empty();
        } catch (IllegalConfigurationException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Later opens fail. */
    @Override
    public void close() {
        List<ThrowingRunnable<RuntimeException>> steps = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (CompletableFuture<Optional<Access>> access : byScheme.values()) {
                if (access.isDone() && !access.isCompletedExceptionally()) {
                    access.join().ifPresent(opened -> steps.add(opened::close));
                }
            }
            byScheme.clear();
        }
        Closeables.closeAll(steps);
    }
}
