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
package org.apache.flink.contrib.streaming.state;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.Bytes;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/**
 * Files of sorted keys that RocksDB ingests. In Flink's package, to load the library and to reach
 * the column families and the database.
 */
final class RocksDbSpill implements DelegateSupport.Spill {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path parent;
    private final Cancellation cancellation;
    private final List<Run> runs = new ArrayList<>();
    private Optional<Path> directory = Optional.empty();
    private final Map<RawState, Integer> filesByState = new IdentityHashMap<>();
    private int mostFilesOfAState;
    private int files;

    RocksDbSpill(Path parent, Cancellation cancellation) {
        this.parent = requireNonNull(parent);
        this.cancellation = requireNonNull(cancellation);
    }

    @Override
    public RawState.RawWriter newWriter() throws IOException {
        if (!directory.isPresent()) {
            EmbeddedRocksDBStateBackend.ensureRocksDBIsLoaded(parent.toString());
            // A directory behind a symbolic link exists, but can't be "created".
            if (!Files.isDirectory(parent)) {
                Files.createDirectories(parent);
            }
            directory = Optional.of(Files.createTempDirectory(parent, "dstl-replay-"));
        }
        return new Writer();
    }

    @Override
    public int files() {
        return files;
    }

    @Override
    public void moveTo(UnaryOperator<RawState> states) throws IOException {
        for (Run run : runs) {
            cancellation.check();
            RocksDbRawState state = (RocksDbRawState) states.apply(run.state);
            run.deleteCleared(state, cancellation);
            if (run.entries.isPresent()) {
                state.ingest(run.entries.get());
            }
        }
        runs.clear();
    }

    @Override
    public void close() {
        runs.clear();
        directory.ifPresent(path -> FileUtils.deleteDirectoryQuietly(path.toFile()));
        directory = Optional.empty();
    }

    @Override
    public int mostFilesOfAState() {
        return mostFilesOfAState;
    }

    private Path newFile(RawState state) {
        int ofState = filesByState.merge(state, 1, Integer::sum);
        mostFilesOfAState = Math.max(mostFilesOfAState, ofState);
        return directory.orElseThrow().resolve(files++ + ".sst");
    }

    /** The files of one state between two flushes. */
    private static final class Run {
        private final RawState state;

        /** The file of prefixes, each after its length. */
        private Optional<Path> cleared = Optional.empty();

        private long prefixes;
        private Optional<Path> entries = Optional.empty();

        Run(RawState state) {
            this.state = state;
        }

        /**
         * Deletes what this run has cleared, which is older than its entries and newer than all
         * runs before.
         */
        void deleteCleared(RawState inDatabase, Cancellation cancellation) throws IOException {
            if (!cleared.isPresent()) {
                return;
            }
            Bytes prefix = new Bytes();
            try (RawState.RawWriter writer = inDatabase.newWriter(cancellation);
                    DataInputStream in =
                            new DataInputStream(
                                    new BufferedInputStream(
                                            Files.newInputStream(cleared.get()), BUFFER_BYTES))) {
                for (long i = 0; i < prefixes; i++) {
                    byte[] bytes = new byte[in.readInt()];
                    in.readFully(bytes);
                    writer.deleteBelow(inDatabase, prefix.set(bytes, 0, bytes.length));
                }
                writer.flush();
            }
        }
    }

    private final class Writer implements RawState.RawWriter {
        private final EnvOptions environment = new EnvOptions();
        private final Options options = new Options();

        private Run run;
        private SstFileWriter entries;
        private DataOutputStream cleared;

        @Override
        public void put(RawState state, Bytes key, Bytes value) throws IOException {
            begin(state);
            try {
                entries().put(key.copy(), value.copy());
            } catch (RocksDBException e) {
                throw failure(e);
            }
        }

        @Override
        public void merge(RawState state, Bytes key, Bytes value) throws IOException {
            begin(state);
            try {
                entries().merge(key.copy(), value.copy());
            } catch (RocksDBException e) {
                throw failure(e);
            }
        }

        @Override
        public void delete(RawState state, Bytes key) throws IOException {
            begin(state);
            try {
                entries().delete(key.copy());
            } catch (RocksDBException e) {
                throw failure(e);
            }
        }

        @Override
        public void deleteBelow(RawState state, Bytes key) throws IOException {
            begin(state);
            try {
                writeCleared(key);
            } catch (IOException e) {
                throw failure(e);
            }
        }

        private void writeCleared(Bytes key) throws IOException {
            if (cleared == null) {
                Path file = newFile(run.state);
                run.cleared = Optional.of(file);
                cleared =
                        new DataOutputStream(
                                new BufferedOutputStream(
                                        Files.newOutputStream(file), BUFFER_BYTES));
            }
            cleared.writeInt(key.length());
            cleared.write(key.array(), key.from(), key.length());
            run.prefixes++;
        }

        private void begin(RawState state) throws IOException {
            if (run == null || run.state != state) {
                flush();
                run = new Run(state);
            }
        }

        private SstFileWriter entries() throws RocksDBException {
            if (entries == null) {
                Path file = newFile(run.state);
                run.entries = Optional.of(file);
                entries = new SstFileWriter(environment, options);
                entries.open(file.toString());
            }
            return entries;
        }

        @Override
        public void flush() throws IOException {
            if (run == null) {
                return;
            }
            cancellation.check();
            try {
                if (cleared != null) {
                    cleared.close();
                    cleared = null;
                }
                if (entries != null) {
                    entries.finish();
                    entries.close();
                    entries = null;
                }
            } catch (IOException | RocksDBException e) {
                throw failure(e);
            }
            runs.add(run);
            run = null;
        }

        private IOException failure(Exception cause) {
            return new IOException(
                    "What was replayed can't be written to "
                            + directory.orElse(parent)
                            + ", where it waits for RocksDB: "
                            + cause.getMessage()
                            + ". See that this disk has room and takes writes.",
                    cause);
        }

        @Override
        public void close() {
            if (entries != null) {
                entries.close();
            }
            if (cleared != null) {
                IOUtils.closeQuietly(cleared);
            }
            options.close();
            environment.close();
        }
    }
}
