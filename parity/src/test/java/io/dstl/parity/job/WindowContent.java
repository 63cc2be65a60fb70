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
package io.dstl.parity.job;

import java.util.List;
import java.util.stream.Collectors;

/** What a window's function makes of its events, as text. */
final class WindowContent {

    private WindowContent() {}

    static String of(String operator, List<Long> ordinals) {
        long sum = ordinals.stream().mapToLong(Long::longValue).sum();
        if (operator.endsWith("reduce")) {
            return String.valueOf(sum);
        }
        if (operator.endsWith("aggregate")) {
            return sum + "/" + ordinals.size();
        }
        return list(ordinals);
    }

    static String list(List<Long> ordinals) {
        return ordinals.stream().sorted().collect(Collectors.toList()).toString();
    }
}
