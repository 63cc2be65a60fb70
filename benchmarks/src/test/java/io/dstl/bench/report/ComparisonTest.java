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
package io.dstl.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.bench.report.Comparison.Ratio;
import io.dstl.bench.report.Quantity.Finding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final Quantity P50 = Quantity.of("p50, ms", "p50", "%.0f");
    private static final Quantity TAIL = Quantity.pooled("p90, ms", "p90", "%.0f", 0.9);
    private static final Quantity RECOVERY = Quantity.of("recovery, ms", "recovery", "%.0f");

    private final Column stock = new Column("stock");
    private final Column dstl = new Column("dstl");

    @Test
    void oneRunEachIsShownAsItIs() {
        stock.add(List.of(Finding.of(P50, 200)));
        dstl.add(List.of(Finding.of(P50, 50)));
        assertThat(table()).contains("| p50, ms | 200 | 50 | 0.25 |");
    }

    @Test
    void ofSeveralRunsTheMedianCountsAndTheExtremesStandBesideIt() {
        for (double value : new double[] {300, 100, 200}) {
            stock.add(List.of(Finding.of(P50, value)));
        }
        for (double value : new double[] {50, 50, 50}) {
            dstl.add(List.of(Finding.of(P50, value)));
        }
        assertThat(table()).contains("| p50, ms | 200 (100–300) | 50 | 0.25 |");
    }

    @Test
    void twoRunsMeetInTheMiddle() {
        dstl.add(List.of(Finding.of(P50, 10)));
        dstl.add(List.of(Finding.of(P50, 30)));
        assertThat(table()).contains("| p50, ms | – | 20 (10–30) |");
    }

    @Test
    void aRareQuantileIsTakenOfAllRunsTogether() {
        dstl.add(List.of(Finding.of(TAIL, 1, 2, 3, 4, 100)));
        dstl.add(List.of(Finding.of(TAIL, 5, 6, 7, 8, 9)));
        assertThat(table()).contains("| p90, ms | – | 9 |");
    }

    @Test
    void whatARunDidNotFindIsSaidBesideWhatOthersDid() {
        stock.add(List.of(Finding.of(P50, 1), Finding.of(RECOVERY, 4000)));
        stock.add(List.of(Finding.of(P50, 1), Finding.none(RECOVERY, "none in 120 s")));
        stock.add(List.of(Finding.of(P50, 1), Finding.of(RECOVERY, 6000)));
        dstl.add(List.of(Finding.of(P50, 1), Finding.none(RECOVERY, "the job failed")));
        assertThat(table())
                .contains(
                        "| recovery, ms | 5000 (4000–6000); 1 of 3: none in 120 s"
                                + " | the job failed |  |");
    }

    @Test
    void aRowStandsWhereTheRunWithTheMostFindingsHasIt() {
        stock.add(List.of(Finding.of(RECOVERY, 1)));
        stock.add(List.of(Finding.of(P50, 1), Finding.of(RECOVERY, 1)));
        dstl.add(List.of(Finding.of(TAIL, 1)));
        assertThat(table()).containsSubsequence("p50, ms", "recovery, ms", "p90, ms");
        assertThat(table()).contains("| p90, ms | – | 1 |  |");
    }

    @Test
    void aBriefTableHasOnlyTheRowsAskedFor() {
        stock.add(List.of(Finding.of(P50, 200), Finding.of(RECOVERY, 7)));
        dstl.add(List.of(Finding.of(P50, 50), Finding.of(RECOVERY, 7)));
        assertThat(comparison().table(quantity -> quantity.key().equals("p50")))
                .isEqualTo(
                        "|  | stock | dstl | dstl ÷ stock |\n"
                                + "| --- | --- | --- | --- |\n"
                                + "| p50, ms | 200 | 50 | 0.25 |\n");
    }

    @Test
    void nothingIsComparedToNothing() {
        stock.add(List.of(Finding.of(P50, 0)));
        dstl.add(List.of(Finding.of(P50, 5)));
        assertThat(table()).contains("| p50, ms | 0 | 5 |  |");
    }

    @Test
    void theJsonHasEachRun() {
        dstl.add(List.of(Finding.of(P50, 10), Finding.none(RECOVERY, "none")));
        dstl.add(List.of(Finding.of(P50, 30), Finding.of(RECOVERY, 7)));
        JsonNode json = new ObjectMapper().valueToTree(comparison().json());
        assertThat(json.at("/variants/dstl/p50/median").doubleValue()).isEqualTo(20);
        assertThat(json.at("/variants/dstl/p50/min").doubleValue()).isEqualTo(10);
        assertThat(json.at("/runs/dstl/1/p50").doubleValue()).isEqualTo(30);
        assertThat(json.at("/runs/dstl/0/recovery").textValue()).isEqualTo("none");
        assertThat(json.at("/variants/dstl/recovery/median").doubleValue()).isEqualTo(7);
        assertThat(json.at("/conditions/commit").textValue()).isEqualTo("abc");
    }

    @Test
    void ratiosCanBeNamedAndNeedBothColumns() {
        stock.add(List.of(Finding.of(P50, 200)));
        dstl.add(List.of(Finding.of(P50, 50)));
        Comparison named =
                new Comparison(
                        Map.of(),
                        List.of(stock, dstl),
                        new Ratio("stock", "dstl"),
                        new Ratio("dstl", "off"));
        assertThat(named.table())
                .contains("|  | stock | dstl | stock ÷ dstl |")
                .contains("| p50, ms | 200 | 50 | 4.00 |");
    }

    private String table() {
        return comparison().markdown();
    }

    private Comparison comparison() {
        return new Comparison(
                Map.of("commit", "abc"), List.of(stock, dstl), new Ratio("dstl", "stock"));
    }
}
