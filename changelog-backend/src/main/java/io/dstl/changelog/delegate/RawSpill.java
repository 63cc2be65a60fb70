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
package io.dstl.changelog.delegate;

import io.dstl.changelog.bulk.RawState;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * Keeps what a delegate is to get that is not there yet, on disk and in the delegate's own format:
 * when it is there, it takes the files over as they are. What is to be deleted below a prefix is
 * kept beside them, as that depends on what the delegate has then.
 *
 * <p>Owns its directory, which is there from the first writer to the end. A process that dies
 * leaves it, as it leaves the directories of its databases. One thread at a time.
 */
public interface RawSpill extends AutoCloseable {

    /**
     * Takes keys in the delegate's order, of one state after the other, between two flushes.
     *
     * @throws IOException if there can be no files, or no such delegate
     */
    RawState.Writer newWriter() throws IOException;

    /** How many were begun so far. */
    int files();

    /**
     * Gives all that was flushed to a delegate, in the order in which it was. What it has got of
     * that after a failure can't be told.
     *
     * @param states from those that were written to what they are in it
     */
    void moveTo(UnaryOperator<RawState> states) throws IOException;

    /** Deletes what no delegate has taken. */
    @Override
    void close();
}
