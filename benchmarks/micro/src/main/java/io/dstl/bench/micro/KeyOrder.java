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
package io.dstl.bench.micro;

import java.util.Arrays;
import java.util.SplittableRandom;

/** In which order keys are updated. */
public enum KeyOrder implements Labelled {
    /** A permutation: no key comes again before all others have come. */
    UNIFORM {
        @Override
        int[] positions(int keys) {
            SplittableRandom random = new SplittableRandom(SEED);
            int[] positions = new int[keys];
            Arrays.setAll(positions, i -> i);
            for (int i = keys - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int swapped = positions[i];
                positions[i] = positions[other];
                positions[other] = swapped;
            }
            return positions;
        }
    },
    /** 90% of the updates go to 1% of the keys. */
    HOT {
        @Override
        int[] positions(int keys) {
            SplittableRandom random = new SplittableRandom(SEED);
            int hot = Math.max(1, keys / 100);
            int[] positions = new int[Math.max(keys, LONG_ENOUGH)];
            Arrays.setAll(
                    positions,
                    i -> random.nextInt(10) < 9 ? random.nextInt(hot) : random.nextInt(keys));
            return positions;
        }
    };

    private static final long SEED = 5;
    private static final int LONG_ENOUGH = 1 << 20;

    /** Positions of keys among {@code keys}, the same in every run; to be gone through in turn. */
    abstract int[] positions(int keys);

    public static KeyOrder of(String label) {
        return Labelled.of(values(), "workload", label);
    }
}
