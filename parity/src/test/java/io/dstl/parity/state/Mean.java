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
package io.dstl.parity.state;

import java.io.Serializable;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.functions.AggregateFunction;

/** The accumulator of a mean value. */
public class Mean {

    public long sum;
    public int count;

    public Mean() {}

    Mean with(long number) {
        return plus(number, 1);
    }

    private Mean plus(long numbers, int times) {
        Mean next = new Mean();
        next.sum = sum + numbers;
        next.count = count + times;
        return next;
    }

    @Override
    public String toString() {
        return sum + "/" + count;
    }

    /** From a number of each element to sum and count as text. */
    public static final class Of<T> implements AggregateFunction<T, Mean, String> {

        private static final long serialVersionUID = 1L;

        private final NumberOf<T> number;

        public Of(NumberOf<T> number) {
            this.number = number;
        }

        @Override
        public Mean createAccumulator() {
            return new Mean();
        }

        @Override
        public Mean add(T element, Mean mean) {
            return mean.with(number.applyAsLong(element));
        }

        @Override
        public String getResult(Mean mean) {
            return mean.toString();
        }

        @Override
        public Mean merge(Mean one, Mean other) {
            return one.plus(other.sum, other.count);
        }
    }

    /** The number of an element. */
    public interface NumberOf<T> extends ToLongFunction<T>, Serializable {}
}
