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

import io.dstl.changelog.record.StockRecords;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.OnEachDelegate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.junit.jupiter.api.io.TempDir;

/** Ours writes, byte for byte, what Flink 1.20.5's own backend wrote for the same calls. */
class StockRecordsTest {

    @OnEachDelegate
    void writesWhatStockWrote(Delegate kind, @TempDir Path directory) throws Exception {
        try (LoggedBackend<Integer> backend =
                new LoggedBackend<>(kind, directory, IntSerializer.INSTANCE)) {
            List<String> lines = new ArrayList<>();
            Runnable takeRecords =
                    () -> backend.log.take().forEach(record -> lines.add(record.toHexLine()));
            new GoldenScenario(
                            backend,
                            step -> {
                                takeRecords.run();
                                lines.add("# " + step);
                            })
                    .run();
            takeRecords.run();

            assertThat(lines).isEqualTo(StockRecords.lines());
        }
    }
}
