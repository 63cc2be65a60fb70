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
package io.dstl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.Matrix.MatrixRows;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixTest {

    private static final List<Integer> CASES = List.of(0, 1, 2, 3, 4, 5, 6);

    @Test
    void withoutAPropertyTheFirstStandsForAll() {
        assertThat(Matrix.of("").select(CASES)).containsExactly(0);
        assertThat(Matrix.of("").select(List.of())).isEmpty();
        assertThat(Matrix.of("").runsOther(0)).isFalse();
    }

    @Test
    void fullRunsAll() {
        assertThat(Matrix.of("full").select(CASES)).isEqualTo(CASES);
        assertThat(Matrix.of("full").runsOther(-17)).isTrue();
    }

    @Test
    void aShareHasTheFirstAndEachNth() {
        assertThat(Matrix.of("2/4").select(CASES)).containsExactly(0, 2, 6);
        assertThat(Matrix.of("6/4").select(CASES)).containsExactly(0, 2, 6);
        assertThat(Matrix.of("2/4").runsOther(-2)).isTrue();
        assertThat(Matrix.of("2/4").runsOther(-3)).isFalse();
    }

    @Test
    void allSharesTogetherAreAll() {
        Set<Integer> seen = new TreeSet<>();
        for (int run = 100; run < 105; run++) {
            seen.addAll(Matrix.of(run + "/5").select(CASES));
        }
        assertThat(seen).containsExactlyElementsOf(CASES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "1/0", "1/-2", "1", "1/", "/2", "1/2/3"})
    void anythingElseIsRefusedByName(String text) {
        assertThatThrownBy(() -> Matrix.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dstl.matrix=" + text)
                .hasMessageContaining("full");
    }

    @Test
    void aClassTakesItsTurnWithAllItsMethods() throws Exception {
        String name = ACase.class.getName();

        assertThat(MatrixCase.nameOf(ACase.class, Optional.empty())).isEqualTo(name);
        assertThat(MatrixCase.nameOf(ACase.class, Optional.of(method("first")))).isEqualTo(name);
        assertThat(MatrixCase.nameOf(ACase.class, Optional.of(method("own"))))
                .isEqualTo(name + ".own");
    }

    @Test
    void rowsThatAnotherTestStandsForTakeTurnsWithoutARepresentative() throws Exception {
        Method test = WithRows.class.getDeclaredMethod("stoodFor");
        assertThat(rowsOf(test, "")).isEmpty();
        assertThat(rowsOf(test, "full")).containsExactly("a", "b", "c");
        List<String> seen = new ArrayList<>();
        for (int share = 0; share < 12; share++) {
            List<String> rows = rowsOf(test, share + "/12");
            assertThat(rows).hasSizeLessThan(2);
            seen.addAll(rows);
        }
        assertThat(seen).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void rowsOfTheirOwnHaveTheFirstAsRepresentative() throws Exception {
        Method test = WithRows.class.getDeclaredMethod("own");
        assertThat(rowsOf(test, "")).containsExactly("a");
        assertThat(rowsOf(test, "full")).containsExactly("a", "b");
    }

    private static List<String> rowsOf(Method test, String matrix) {
        MatrixRows rows = test.getAnnotation(MatrixRows.class);
        return MatrixRows.Rows.selected(Matrix.of(matrix), rows, test);
    }

    abstract static class WithRows {
        @MatrixRows(
                value = {"a", "b", "c"},
                stoodFor = true)
        abstract void stoodFor();

        @MatrixRows({"a", "b"})
        abstract void own();
    }

    private static Method method(String name) throws Exception {
        return ACase.class.getDeclaredMethod(name);
    }

    @ExtendWith(MatrixCase.class)
    abstract static class ACase {
        abstract void first();

        @ExtendWith(MatrixCase.class)
        abstract void own();
    }
}
