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
package io.dstl.bench.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TotalsFileTest {
    @TempDir private Path folder;

    @Test
    void sumsUpTheSubtasksNumberByNumber() throws IOException {
        write(0, 1, -20);
        write(1, 3, 40);
        assertThat(TotalsFile.sum(folder, "state", 2)).containsExactly(4, 20);
    }

    @Test
    void aSubtaskThatEndsTwiceCountsOnce() throws IOException {
        write(0, 1, 20);
        write(0, 1, 21);
        assertThat(TotalsFile.sum(folder, "state", 1)).containsExactly(1, 21);
    }

    @Test
    void aMissingSubtaskIsNoZero() throws IOException {
        write(0, 1, 20);
        assertThatThrownBy(() -> TotalsFile.sum(folder, "state", 2))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 files state-*, not 2");
    }

    private void write(int subtask, long... totals) throws IOException {
        TotalsFile.write(folder.toString(), "state", subtask, totals);
    }
}
