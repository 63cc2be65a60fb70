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
package io.dstl.changelog.serializer;

import io.dstl.changelog.serializer.type.StateType;
import io.dstl.testkit.Matrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.params.provider.Arguments;

/** The backends below the changelog. */
enum DelegateBackend {
    /**
     * With incremental checkpoints, and room in memory for all that a test writes: what is flushed
     * when is then the same each time, and so is what a compaction merges.
     */
    ROCKSDB {
        @Override
        StateBackend in(Path directory) throws IOException {
            EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(true);
            backend.setDbStoragePath(
                    Files.createDirectories(directory.resolve("rocksdb")).toString());
            backend.getMemoryConfiguration().setUseManagedMemory(false);
            return backend;
        }
    },
    HASHMAP {
        @Override
        StateBackend in(Path directory) {
            return new HashMapStateBackend();
        }
    };

    /**
     * @param directory for its own files
     */
    abstract StateBackend in(Path directory) throws IOException;

    /** Of each of the types with each of these backends: those that run. */
    static Stream<Arguments> selected(List<StateType<?>> types) {
        return Matrix.ofThisRun()
                .select(
                        types.stream()
                                .flatMap(
                                        type ->
                                                Stream.of(values())
                                                        .map(
                                                                delegate ->
                                                                        Arguments.of(
                                                                                type, delegate))));
    }
}
