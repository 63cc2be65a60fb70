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
package io.dstl.fs.store;

import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.SupplierWithException;

/**
 * A try-with-resources for streams that keep what has failed and throw it again when they are
 * closed. The language's own would have that exception suppress itself, which {@link
 * Throwable#addSuppressed} answers with an IllegalArgumentException in its place.
 */
public final class Closing {

    private Closing() {}

    /**
     * Uses the stream and closes it, whatever happens.
     *
     * @throws IOException what the use has thrown, else what closing has
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
