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
package io.dstl.changelog.serializer.type;

import static java.util.Objects.requireNonNull;

import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A type that users keep in their state, with the serializer that Flink gives it. Each number from
 * 0 on stands for one value of the type, so that a test can say by a number what a state must hold.
 */
public final class StateType<T> {
    private final String name;
    private final Supplier<TypeSerializer<T>> serializers;
    private final IntFunction<T> values;
    private final ToIntFunction<T> numbers;
    private final BiPredicate<T, T> same;

    private StateType(
            String name,
            Supplier<TypeSerializer<T>> serializers,
            IntFunction<T> values,
            ToIntFunction<T> numbers,
            BiPredicate<T, T> same) {
        this.name = requireNonNull(name);
        this.serializers = requireNonNull(serializers);
        this.values = requireNonNull(values);
        this.numbers = requireNonNull(numbers);
        this.same = requireNonNull(same);
    }

    /**
     * @param serializers makes a new one at each call, as a new process does
     * @param values by their numbers; equal ones for equal numbers
     * @param numbers of the values
     */
    public static <T> StateType<T> of(
            String name,
            Supplier<TypeSerializer<T>> serializers,
            IntFunction<T> values,
            ToIntFunction<T> numbers) {
        return new StateType<>(name, serializers, values, numbers, Objects::deepEquals);
    }

    /** The same values, written in another way. */
    public StateType<T> with(Supplier<TypeSerializer<T>> others) {
        return new StateType<>(name, others, values, numbers, same);
    }

    /** The same type, whose values are not the same by what {@code equals} says. */
    public StateType<T> same(BiPredicate<T, T> other) {
        return new StateType<>(name, serializers, values, numbers, other);
    }

    public TypeSerializer<T> serializer() {
        return serializers.get();
    }

    public T value(int number) {
        return values.apply(number);
    }

    /**
     * @return null for null
     * @throws IllegalStateException if it isn't the value of the number that it says it is
     */
    public Integer number(T value) {
        if (value == null) {
            return null;
        }
        int number = numbers.applyAsInt(value);
        if (!same.test(value, value(number))) {
            throw new IllegalStateException(
                    value + " says it is " + number + ", which is " + value(number));
        }
        return number;
    }

    @Override
    public String toString() {
        return name;
    }
}
