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
package io.dstl.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Quantity.Finding;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class SeedTableTest {

    @Test
    void nanosecondsBecomeTheUnitOfThePublishedFigures() {
        assertThat(rows(SeedTable.POJO, 2_000)).startsWith("| Tuple | 1158 | 500 |");
        assertThat(rows(SeedTable.STRING, 2_000))
                .startsWith("| StringSerializer, 1 | 33.5 | 2000.0 |");
        assertThat(rows(SeedTable.RECORD, 2_000))
                .startsWith("| the line, fields cut out when asked for | 523537 | 500000 |");
    }

    @Test
    void whatWasNotPublishedIsLeftOut() {
        assertThat(rows(SeedTable.STRING, 2_000)).contains("| writeUTF, 128 | – | 2000.0 |");
    }

    @Test
    void rowsStandAsPublished() {
        assertThat(rows(SeedTable.POJO, 1)).containsSubsequence("Row", "Protobuf", "Avro reflect");
    }

    /** The table below its head, with what was published and a time of each operation. */
    private static String rows(SeedTable table, double nanos) {
        Column published = new Column("published");
        published.add(table.published());
        Column measured = new Column("dstl");
        List<Finding> found =
                table.cases().stream()
                        .map(of -> table.finding(of, nanos))
                        .collect(Collectors.toList());
        measured.add(found);
        return new Comparison(Map.of(), List.of(published, measured))
                .table()
                .lines()
                .skip(2)
                .collect(Collectors.joining("\n"));
    }
}
