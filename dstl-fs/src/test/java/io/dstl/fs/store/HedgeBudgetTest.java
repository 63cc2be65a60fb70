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
package io.dstl.fs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.option.HedgeSettings;
import org.junit.jupiter.api.Test;

class HedgeBudgetTest {

    private final HedgeBudget budget = new HedgeBudget(new HedgeSettings(0.02, 2));

    private void earn(int puts) {
        for (int put = 0; put < puts; put++) {
            budget.earn();
        }
    }

    @Test
    void givesOneForFiftyPuts() {
        earn(49);
        assertThat(budget.take()).isFalse();
        earn(1);
        assertThat(budget.take()).isTrue();
        budget.ended();
        assertThat(budget.take()).isFalse();
    }

    @Test
    void neverGivesMoreThanTheShare() {
        int given = 0;
        for (int put = 0; put < 10_000; put++) {
            budget.earn();
            if (budget.take()) {
                given++;
                budget.ended();
            }
        }
        assertThat(given).isEqualTo(200);
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
        int given = 0;
        while (budget.take()) {
            budget.ended();
            given++;
        }
        assertThat(given).isEqualTo(2);
    }

    @Test
    void withoutAShareGivesNone() {
        HedgeBudget none = new HedgeBudget(new HedgeSettings(0, 5));
        for (int put = 0; put < 1000; put++) {
            none.earn();
        }
        assertThat(none.take()).isFalse();
    }

    @Test
    void endsOnlyWhatBegan() {
        assertThatThrownBy(budget::ended).isInstanceOf(IllegalStateException.class);
    }
}
