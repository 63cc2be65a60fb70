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
package io.dstl.changelog.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a log that is replayed ahead of RocksDB waits for it. */
class RocksDbDiskTest {
    @TempDir private Path root;

    private Path disk(Path... disks) {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend();
        String[] paths = new String[disks.length];
        for (int i = 0; i < disks.length; i++) {
            paths[i] = disks[i].toString();
        }
        backend.setDbStoragePaths(paths);
        return DelegateSupport.get().disk(backend, new MockEnvironmentBuilder().build());
    }

    /** Flink's backend leaves it out as well. */
    @Test
    void isNoneThatTakesNoFiles() throws Exception {
        Path broken = Files.createFile(root.resolve("broken"));
        Path works = root.resolve("works");

        assertThat(disk(broken, works)).isEqualTo(works);
        assertThat(disk(works, broken)).isEqualTo(works);
    }

    @Test
    void isTheFirstIfNoneTakesFiles() throws Exception {
        Path broken = Files.createFile(root.resolve("broken"));
        Path too = Files.createFile(root.resolve("too"));

        assertThat(disk(broken, too)).isEqualTo(broken);
    }
}
