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
package io.dstl.fs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store refuses deletions while the job leaves the TaskManager, which lives on. */
class DeletionAfterLeavingTest {
    private static final int MORE_THAN_IS_HELD_BACK = 6 << 20;

    @TempDir Path directory;

    @Test
    void isTriedAgain() throws Exception {
        try (Stage stage = new Stage(StorageKind.DSTL, directory)) {
            stage.writer.append(3, new byte[MORE_THAN_IS_HELD_BACK]);
            stage.awaitTakingRecords();
            assertThat(stored()).isOne();
            // When it is asked for, and at once as the job leaves.
            stage.trouble.failDeletes(2);
            stage.leave();

            assertThat(stage.trouble.sawDeletionWithin(StorageKind.DSTL.patienceSeconds()))
                    .isTrue();
            assertThat(stored()).isZero();
        }
    }

    private long stored() throws Exception {
        try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
            return files.filter(Files::isRegularFile).count();
        }
    }
}
