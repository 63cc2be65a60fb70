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

/** Puts that may be expected to take about the same time. */
public enum SizeClass {
    /** One round trip, whatever the size. */
    UP_TO_64_KB(1 << 16),
    UP_TO_1_MB(1 << 20),
    UP_TO_8_MB(1 << 23),
    ABOVE_8_MB(Long.MAX_VALUE);

    private final long maxBytes;

    SizeClass(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    public static SizeClass of(long bytes) {
        for (SizeClass each : values()) {
            if (bytes <= each.maxBytes) {
                return each;
            }
        }
        throw new AssertionError("beyond all sizes: " + bytes);
    }
}
