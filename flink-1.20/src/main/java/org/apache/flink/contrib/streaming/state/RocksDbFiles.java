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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files below the directory of a database that a backend is about to make. Found by the name
 * that {@code EmbeddedRocksDBStateBackend#createKeyedStateBackend} gives the directory, on
 * whichever disk it is: what a restore downloads is there too.
 *
 * <p>Threading: any thread, also while the backend adds and deletes files.
 */
final class RocksDbFiles implements LongSupplier {
    /** Not by its package, which is Flink's. */
    private static final Logger LOG = LoggerFactory.getLogger("io.dstl.changelog.RocksDbFiles");

    private final List<Path> disks;
    private final String prefix;

    /** Of databases that are there already: of another attempt, which may be at its end. */
    private final Set<Path> others;

    private RocksDbFiles(List<Path> disks, String prefix, Set<Path> others) {
        this.disks = disks;
        this.prefix = prefix;
        this.others = others;
    }

    /**
     * @param disks the backend puts the directory on one of them
     * @param operator the identifier of the backend's operator, with its subtask
     */
    static RocksDbFiles ofNext(List<Path> disks, String job, String operator) {
        String prefix =
                "job_" + job + "_op_" + operator.replaceAll("[^a-zA-Z0-9\\-]", "_") + "_uuid_";
        return new RocksDbFiles(disks, prefix, Set.copyOf(directories(disks, prefix)));
    }

    private static List<Path> directories(List<Path> disks, String prefix) {
        List<Path> found = new ArrayList<>();
        for (Path disk : disks) {
            if (!Files.isDirectory(disk)) {
                continue;
            }
            try (DirectoryStream<Path> directories =
                    Files.newDirectoryStream(
                            disk, child -> child.getFileName().toString().startsWith(prefix))) {
                directories.forEach(found::add);
            } catch (IOException | DirectoryIteratorException e) {
                LOG.debug("Could not look for a database in {}", disk, e);
            }
        }
        return found;
    }

    /** Their bytes so far. Looks at each file. */
    @Override
    public long getAsLong() {
        Bytes bytes = new Bytes();
        for (Path directory : directories(disks, prefix)) {
            if (!others.contains(directory)) {
                try {
                    Files.walkFileTree(directory, bytes);
                } catch (IOException e) {
                    throw new UncheckedIOException("Never thrown by the visitor", e);
                }
            }
        }
        return bytes.sum;
    }

    /** Counts a file that has several names once: the backend links what it has downloaded. */
    private static final class Bytes extends SimpleFileVisitor<Path> {
        private final Set<Object> counted = new HashSet<>();
        private long sum;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.fileKey() == null || counted.add(attributes.fileKey())) {
                sum += attributes.size();
            }
            return FileVisitResult.CONTINUE;
        }

        /** It has been moved or deleted meanwhile. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
