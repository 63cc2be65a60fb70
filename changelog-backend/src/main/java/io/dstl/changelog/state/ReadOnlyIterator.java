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

import java.util.Iterator;
import java.util.function.Supplier;

/** Returns what another one does, and says why nothing can be removed. */
final class ReadOnlyIterator<E> implements Iterator<E> {
    private final Iterator<E> delegate;
    private final Supplier<? extends RuntimeException> refusal;

    ReadOnlyIterator(Iterator<E> delegate, Supplier<? extends RuntimeException> refusal) {
        this.delegate = delegate;
        this.refusal = refusal;
    }

    @Override
    public boolean hasNext() {
        return delegate.hasNext();
    }

    @Override
    public E next() {
        return delegate.next();
    }

    @Override
    public void remove() {
        throw refusal.get();
    }
}
