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
package io.dstl.changelog.state;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.util.CloseableIterator;

/** Iterates over a priority queue, and logs what is removed where the delegate allows removal. */
final class LoggedQueueIterator<T extends Keyed<?>> implements CloseableIterator<T> {
    private final LoggedPriorityQueue<T> queue;
    private final CloseableIterator<T> delegate;
    @Nullable private T last;

    LoggedQueueIterator(LoggedPriorityQueue<T> queue, CloseableIterator<T> delegate) {
        this.queue = queue;
        this.delegate = delegate;
    }

    @Override
    public boolean hasNext() {
        return delegate.hasNext();
    }

    @Override
    public T next() {
        last = delegate.next();
        return last;
    }

    @Override
    public void remove() {
        delegate.remove();
        queue.logRemove(last);
    }

    @Override
    public void close() throws Exception {
        delegate.close();
    }
}
