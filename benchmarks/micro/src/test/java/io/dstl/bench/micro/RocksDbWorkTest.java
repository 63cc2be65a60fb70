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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.List;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.View;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RocksDbWorkTest {
    private final RocksDbWork work = new RocksDbWork();

    static List<String> counts() {
        return List.of(
                "mem-table-flush-pending",
                "num-running-flushes",
                "compaction-pending",
                "num-running-compactions");
    }

    @ParameterizedTest
    @MethodSource("counts")
    void whatThereIsOfAnyKindForAnyStateIsWaitedFor(String busy) {
        Count left = new Count(5);
        counts().forEach(name -> register("first", name, new Count(0)));
        counts().forEach(name -> register("second", name, name.equals(busy) ? left : new Count(0)));

        work.awaitEnd();

        assertThat(left.left).isZero();
    }

    @ParameterizedTest
    @MethodSource("counts")
    void withoutOneOfTheMetricsThereIsNoTelling(String missing) {
        counts().stream()
                .filter(name -> !name.equals(missing))
                .forEach(name -> register("state", name, new Count(0)));

        assertThatThrownBy(work::awaitEnd)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be waited for");
    }

    /** As RocksDBNativeMetricMonitor does for each column family. */
    private void register(String state, String name, Count count) {
        work.addGroup("column_family", state).gauge("rocksdb." + name, count);
    }

    /** One less each time it is looked at; one that is not brought up to date shows none. */
    private static final class Count implements Gauge<BigInteger>, View {
        private int left;
        private BigInteger shown = BigInteger.ZERO;

        Count(int left) {
            this.left = left;
        }

        @Override
        public void update() {
            shown = BigInteger.valueOf(left);
            left = Math.max(0, left - 1);
        }

        @Override
        public BigInteger getValue() {
            return shown;
        }
    }
}
