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
package io.dstl.changelog.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an expression reads, and what it groups by. */
class PromQlTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "up                                        | up[]             |",
                "up{a=\"}x{\", b!~'y'}[5m] offset 10m >= 0 | up[a, b]         |",
                "60 * sum by (j, t) (rate(c{j=~\"$j\"}[$i])) | c[j]           | j t",
                "max(a) by (x) > 1e9 or b == bool 1        | a[] b[]          | x",
                "a and on (x) count by (x, y) (b)          | a[] b[]          | x y",
                "c > scalar(dstl:limit:ms) / 2             | c[] dstl:limit:ms[] |",
                "topk(3, m) unless ignoring(l) n           | m[] n[]          | l"
            })
    void findsMetricsAndLabels(String expression, String selectors, String grouping) {
        PromQl parsed = PromQl.parse(expression);

        assertThat(
                        parsed.selectors().stream()
                                .map(PromQl.Selector::toString)
                                .collect(Collectors.joining(" ")))
                .isEqualTo(selectors);
        assertThat(String.join(" ", parsed.grouping())).isEqualTo(grouping == null ? "" : grouping);
    }
}
