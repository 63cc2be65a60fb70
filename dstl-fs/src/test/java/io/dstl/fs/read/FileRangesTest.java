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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.read.PartialCopy.FileRanges;
import io.dstl.fs.segment.StoredBytes.FileRange;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileRangesTest {

    private final FileRanges ranges = new FileRanges();

    @Test
    void joinsWhatIsCloseToEachOther() {
        ranges.add(new FileRange(10, 20));

        assertThat(ranges.missing(List.of(new FileRange(30, 40), new FileRange(5, 25)), 5))
                .containsExactly(new FileRange(5, 10), new FileRange(20, 40));
        assertThat(ranges.missing(List.of(new FileRange(30, 40), new FileRange(5, 25)), 10))
                .containsExactly(new FileRange(5, 40));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void agreesWithASetOfPositions(long seed) {
        Random random = new Random(seed);
        BitSet model = new BitSet();
        for (int i = 0; i < 300; i++) {
            FileRange asked = range(random);
            BitSet missing = new BitSet();
            ranges.missing(List.of(asked, range(random, asked)), 0)
                    .forEach(each -> missing.set((int) each.start(), (int) each.end()));
            BitSet expected = new BitSet();
            expected.set((int) asked.start(), (int) asked.end());
            expected.andNot(model);
            assertThat(missing).as("seed %d, step %d", seed, i).isEqualTo(expected);
            assertThat(ranges.contains(asked))
                    .as("seed %d, step %d", seed, i)
                    .isEqualTo(expected.isEmpty());

            FileRange added = range(random);
            ranges.add(added);
            model.set((int) added.start(), (int) added.end());
        }
    }

    private static FileRange range(Random random) {
        int start = random.nextInt(1000);
        return new FileRange(start, start + random.nextInt(12));
    }

    /** Within another one. */
    private static FileRange range(Random random, FileRange outer) {
        long start = outer.start() + random.nextInt((int) outer.bytes() + 1);
        return new FileRange(start, outer.end());
    }
}
