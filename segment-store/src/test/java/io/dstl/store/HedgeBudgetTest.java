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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.HedgePolicy.HedgeBudget;
import io.dstl.store.RetrySettings.HedgeSettings;
import org.junit.jupiter.api.Test;

class HedgeBudgetTest {

    private static final long MANY_A_SECOND = 50_000_000;
    private static final long ONE_A_SECOND = 1_000_000_000;

    private final HedgeBudget budget = new HedgeBudget(new HedgeSettings(0.02, 2));
    private long now = -1;

    private void earn(int puts, long gapNanos) {
        for (int put = 0; put < puts; put++) {
            now += gapNanos;
            budget.earn(now);
        }
    }

    private void earn(int puts) {
        earn(puts, MANY_A_SECOND);
    }

    /** One after the other, as many as there are. */
    private int spendAll() {
        int given = 0;
        while (budget.take()) {
            budget.ended();
            given++;
        }
        return given;
    }

    private int spentBeside(int puts, long gapNanos) {
        int given = 0;
        for (int put = 0; put < puts; put++) {
            earn(1, gapNanos);
            given += spendAll();
        }
        return given;
    }

    @Test
    void hasSomeAtTheStart() {
        assertThat(spendAll()).isEqualTo(HedgeBudget.AT_THE_START);
    }

    @Test
    void hasNoMoreAtTheStartThanMayBeInFlight() {
        HedgeBudget few = new HedgeBudget(new HedgeSettings(0.02, 1));
        assertThat(few.take()).isTrue();
        few.ended();
        assertThat(few.take()).isFalse();
    }

    @Test
    void givesOneForFiftyPuts() {
        spendAll();
        earn(49);
        assertThat(spendAll()).isZero();
        earn(1);
        assertThat(spendAll()).isOne();
    }

    @Test
    void neverGivesMoreThanTheShare() {
        spendAll();
        assertThat(spentBeside(10_000, MANY_A_SECOND)).isEqualTo(200);
    }

    /** Ten at once each second are many too. */
    @Test
    void burstsEarnNoMore() {
        spendAll();
        int given = 0;
        for (int second = 0; second < 1000; second++) {
            given += spentBeside(9, 0) + spentBeside(1, ONE_A_SECOND);
        }
        assertThat(given).isEqualTo(200);
    }

    @Test
    void fewPutsEarnMoreEach() {
        spendAll();
        assertThat(spentBeside(10_000, ONE_A_SECOND)).isBetween(498, 500);
    }

    @Test
    void fewerStillEarnNoMoreThanThat() {
        spendAll();
        assertThat(spentBeside(10_000, 60 * ONE_A_SECOND)).isBetween(498, 500);
    }

    @Test
    void manyAfterFewEarnTheShareAgain() {
        earn(1000, ONE_A_SECOND);
        earn(100, MANY_A_SECOND);
        spendAll();
        assertThat(spentBeside(10_000, MANY_A_SECOND)).isEqualTo(200);
    }

    @Test
    void givesNoMoreThanMayBeInFlight() {
        earn(100);
        assertThat(budget.take()).isTrue();
        assertThat(budget.take()).isTrue();
        earn(100);
        assertThat(budget.take()).isFalse();

        budget.ended();
        assertThat(budget.take()).isTrue();
    }

    @Test
    void savesNoMoreThanThat() {
        earn(100_000);
        assertThat(spendAll()).isEqualTo(2);
    }

    @Test
    void withoutAShareGivesNone() {
        HedgeBudget none = new HedgeBudget(new HedgeSettings(0, 5));
        for (long put = 0; put < 1000; put++) {
            none.earn(put * ONE_A_SECOND);
        }
        assertThat(none.take()).isFalse();
    }

    @Test
    void endsOnlyWhatBegan() {
        assertThatThrownBy(budget::ended).isInstanceOf(IllegalStateException.class);
    }
}
