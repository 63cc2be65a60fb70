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
package io.dstl.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.report.Column;
import io.dstl.bench.report.Quantity.Finding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutlookTest {
    @Test
    void carriesFiguresOnAndTellsWhatBreaksFirst() {
        String page =
                new Outlook(Map.of("dstl", new Trend(Map.of(100, column(100), 1000, column(1000)))))
                        .markdown();

        // 2 KB a task, and 100 B for each of the 156,250 files of 10 TB.
        assertThat(page).contains("| `_metadata`, MB | 35.6 |\n");
        assertThat(page).contains("| of that, the names of 10 TB in files of 64 MB, MB | 15.6 |\n");
        // A task holds it for 0.1 ms, a heap of 1,000 MB has 0.01 MB for each.
        assertThat(page).contains("for the whole second between two checkpoints | 10,000 |");
        assertThat(page).contains("heap is full of handles | 100,000 |");
        // Of each checkpoint: a JobManager that completes fewer takes as much in a second.
        assertThat(page).contains("a whole core for a checkpoint a second | 800 |");
        assertThat(page.indexOf("coordinator's lock is held"))
                .isLessThan(page.indexOf("heap is full"));
        // It takes more than a second with any number of tasks, and one millisecond more for each.
        assertThat(page).contains("a second from trigger to completion | any |");
        assertThat(page).contains("1. Trigger to completion");
    }

    @Test
    void aLimitThatIsPassedWithoutGrowthBreaksWithAnyNumber() {
        Finding always = Finding.of(ScaleFigures.LOCK, 1500);
        Finding never = Finding.of(ScaleFigures.COMPLETION_50, 900);
        Column column = new Column("dstl");
        column.add(List.of(always, never));
        String page =
                new Outlook(Map.of("dstl", new Trend(Map.of(100, column, 1000, column))))
                        .markdown();

        assertThat(page).contains("whole second between two checkpoints | any |");
        assertThat(page).contains("from trigger to completion | does not grow |");
    }

    @Test
    void whatWasNotFoundIsNotCarriedOn() {
        String page = new Outlook(Map.of("off", new Trend(Map.of(100, column(100))))).markdown();

        assertThat(page).contains("| `_metadata`, MB | – |\n");
    }

    private static Column column(int tasks) {
        Column column = new Column("dstl");
        column.add(
                List.of(
                        Finding.of(ScaleFigures.METADATA, 2.0 * tasks),
                        Finding.of(ScaleFigures.ENTRY_METADATA, 100),
                        Finding.of(ScaleFigures.LOCK, 0.1 * tasks),
                        Finding.of(ScaleFigures.COMPLETION_50, 2000.0 + tasks),
                        Finding.of(ScaleFigures.CPU, 0.2),
                        Finding.of(ScaleFigures.CPU_EACH, 0.2 + 0.001 * tasks),
                        Finding.of(ScaleFigures.HEAP, 0.01 * tasks),
                        Finding.of(ScaleFigures.HEAP_MAX, 1000)));
        return column;
    }
}
