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
package io.dstl.changelog.cluster;

import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * What a user's jar has: this class and the ones within, which are the types of its states. It says
 * which class loader it is from, and uses state of each kind.
 */
final class UsersCode extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;
    private static final long KEPT_NUMBERS = 10;

    /** As users' classes have, often for good. */
    private static final ThreadLocal<Counted> LAST = new ThreadLocal<>();

    private final long failAt;
    private final int failures;
    private transient ValueState<Counted> value;
    private transient ListState<Counted> list;
    private transient MapState<String, Opaque> map;
    private transient ReducingState<Counted> sum;

    /**
     * @param failAt the number that it fails at
     * @param failures attempts that fail there
     */
    UsersCode(long failAt, int failures) {
        this.failAt = failAt;
        this.failures = failures;
    }

    @Override
    public void open(OpenContext context) {
        UsersClasses.seen(UsersCode.class.getClassLoader());
        TypeInformation<Counted> counted = Types.POJO(Counted.class);
        value = getRuntimeContext().getState(new ValueStateDescriptor<>("value", counted));
        list = getRuntimeContext().getListState(new ListStateDescriptor<>("list", counted));
        map =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "map", Types.STRING, Types.GENERIC(Opaque.class)));
        sum =
                getRuntimeContext()
                        .getReducingState(
                                new ReducingStateDescriptor<>("sum", Counted::plus, counted));
    }

    @Override
    public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
        int attempt = getRuntimeContext().getTaskInfo().getAttemptNumber();
        if (number == failAt && attempt < failures) {
            throw new TooFar(number);
        }
        Counted counted = Counted.of(number);
        LAST.set(counted);
        value.update(counted);
        if (number % KEPT_NUMBERS == 0) {
            list.add(counted);
        }
        map.put(String.valueOf(number % KEPT_NUMBERS), new Opaque(counted));
        sum.add(counted);
        context.timerService().registerEventTimeTimer(number);
        out.collect(number);
    }

    /** A POJO, as Flink has it. */
    public static final class Counted {
        public long number;
        public long count;

        public Counted() {}

        static Counted of(long number) {
            Counted counted = new Counted();
            counted.number = number;
            counted.count = 1;
            return counted;
        }

        Counted plus(Counted other) {
            Counted sum = of(number + other.number);
            sum.count = count + other.count;
            return sum;
        }
    }

    /** For Kryo. */
    static final class Opaque implements Serializable {
        private static final long serialVersionUID = 1L;

        private final transient Counted counted;

        Opaque(Counted counted) {
            this.counted = counted;
        }

        @Override
        public String toString() {
            return Objects.toString(counted);
        }
    }

    /** An exception that nobody else has. */
    static final class TooFar extends Exception {
        private static final long serialVersionUID = 1L;

        TooFar(long number) {
            super("This job is to fail at " + number);
        }
    }
}
