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
package org.apache.flink.contrib.streaming.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a compaction of level 0 frees at most. */
class RocksDbMemtablesFreedTest {
    private static final long MB = 1 << 20;

    /** As RocksDB prints it. */
    private static final String LEVELS =
            "Level Files Size(MB)\n"
                    + "--------------------\n"
                    + "  0        4       25\n"
                    + "  1        4      250\n"
                    + "  2       10     2500\n";

    @Test
    void whatOverlaps() {
        assertThat(RocksDbMemtables.freed(2775 * MB, 2765 * MB, LEVELS)).isEqualTo(10 * MB);
    }

    /** Of a large state the levels below overlap with each other, and stay as they are. */
    @Test
    void noMoreThanThereIsOnLevel0() {
        assertThat(RocksDbMemtables.freed(2775 * MB, 2500 * MB, LEVELS))
                .as("MB are rounded")
                .isEqualTo(26 * MB);
    }

    @Test
    void nothingWhereLevel0IsNotTold() {
        assertThat(RocksDbMemtables.freed(2775 * MB, 2500 * MB, "")).isZero();
    }
}
