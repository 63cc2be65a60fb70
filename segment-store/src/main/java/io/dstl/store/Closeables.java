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

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.SupplierWithException;
import org.apache.flink.util.function.ThrowingConsumer;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Closes everything, whatever fails on the way; throws the first failure, with later ones as
 * suppressed. This also works if they are the same exception, as with streams that rethrow a kept
 * failure when they are closed: the language's own try-with-resources would have it suppress
 * itself, for which {@link Throwable#addSuppressed} throws an IllegalArgumentException instead.
 */
public final class Closeables {

    private Closeables() {}

    /** Runs all steps, in this order. */
    @SafeVarargs
    public static <E extends Exception> void closeAll(ThrowingRunnable<E>... steps) throws E {
        Closeables.<E>closeAll(Arrays.asList(steps));
    }

    /**
     * Runs all steps, in this order.
     *
     * @throws E of the first step that failed
     */
    public static <E extends Exception> void closeAll(Collection<ThrowingRunnable<E>> steps)
            throws E {
        forEach(steps, ThrowingRunnable::run);
    }

    /**
     * Gives each one to the action, in this order.
     *
     * @throws E of the first one that failed
     */
    public static <T, E extends Exception> void forEach(
            Iterable<T> all, ThrowingConsumer<? super T, E> action) throws E {
        Throwable first = null;
        for (T one : all) {
            try {
                action.accept(one);
            } catch (Throwable t) {
                first = firstOf(first, t);
            }
        }
        if (first != null) {
            throwAgain(first);
        }
    }

    /** The first failure if there is one, with the next as suppressed if there is memory for it. */
    public static Throwable firstOf(@Nullable Throwable first, Throwable next) {
        try {
            return ExceptionUtils.firstOrSuppressed(next, first);
        } catch (OutOfMemoryError e) {
            return first == null ? next : first;
        }
    }

    @SuppressWarnings("unchecked") // A step throws no other checked exception.
    private static <E extends Exception> void throwAgain(Throwable first) throws E {
        if (first instanceof Error) {
            throw (Error) first;
        }
        throw (E) first;
    }

    /**
     * Uses the stream and closes it, whatever happens.
     *
     * @throws IOException of the use, or else of closing
     */
    public static <R> R closeAfter(Closeable stream, SupplierWithException<R, IOException> use)
            throws IOException {
        R result;
        try {
            result = use.get();
        } catch (Throwable t) {
            try {
                stream.close();
            } catch (Throwable again) {
                ExceptionUtils.firstOrSuppressed(again, t);
            }
            throw t;
        }
        stream.close();
        return result;
    }
}
