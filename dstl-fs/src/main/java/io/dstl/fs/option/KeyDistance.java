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
package io.dstl.fs.option;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** How far a key is from another one, in characters to insert, delete or replace. */
final class KeyDistance {

    /** Of the longer one's characters; beyond it two keys have nothing to do with each other. */
    private static final double MAX_FRACTION = 0.2;

    private KeyDistance() {}

    /** The known key that was probably meant, if any. */
    static Optional<String> nearest(String key, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(candidate -> between(key, candidate)))
                .filter(
                        candidate ->
                                between(key, candidate)
                                        <= MAX_FRACTION
                                                * Math.max(key.length(), candidate.length()));
    }

    static int between(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
