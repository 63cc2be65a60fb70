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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes files of Flink's through their handles, each by a request of its own.
 *
 * <p>After {@value #MOST_FAILURES} failures in a row it leaves the rest to the next attempt: the
 * store is down then, its client may wait long for each file, and others wait for the same thread.
 * After {@value #MOST_FILES} files it leaves the rest to another call: who watches the call for one
 * that hangs allows it some minutes.
 *
 * <p>Logs the first failure at once: the process may end before the last attempt.
 */
public final class FileDeleter implements SegmentDeleter {
    static final int MOST_FAILURES = 3;
    static final int MOST_FILES = 100;

    private static final Logger LOG = LoggerFactory.getLogger(FileDeleter.class);

    /** Whether a failure was logged, and no deletion without one has followed. */
    private final AtomicBoolean warned = new AtomicBoolean();

    @Override
    public void delete(StreamStateHandle file) throws Exception {
        file.discardState();
    }

    @Override
    public int batchSize() {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean isOneRequest() {
        return false;
    }

    /** All that fail share the first failure, and so are tried again together. */
    @Override
    public Map<StreamStateHandle, Exception> deleteBatch(Collection<StreamStateHandle> files) {
        Map<StreamStateHandle, Exception> failures = new LinkedHashMap<>();
        Exception failure = null;
        int inARow = 0;
        Iterator<StreamStateHandle> left = files.iterator();
        for (int i = 0; i < MOST_FILES && inARow < MOST_FAILURES && left.hasNext(); i++) {
            StreamStateHandle file = left.next();
            try {
                delete(file);
                inARow = 0;
            } catch (Exception e) {
                inARow++;
                failure = failure == null ? e : failure;
                failures.put(file, failure);
            }
        }
        Untried untried =
                inARow < MOST_FAILURES ? Untried.forNow() : Untried.after(requireNonNull(failure));
        left.forEachRemaining(file -> failures.put(file, untried));
        if (failures.isEmpty()) {
            warned.set(false);
        }
        if (failure == null) {
            return failures;
        }
        if (warned.compareAndSet(false, true)) {
            LOG.warn(
                    "Could not delete {} files of materialized state that no checkpoint needs; this"
                            + " is tried again for some minutes. The first is {}",
                    failures.values().stream().filter(each -> !Untried.isForNow(each)).count(),
                    Redacted.of(failures.keySet().iterator().next()),
                    Redaction.OF_URIS.failure(failure));
        }
        return failures;
    }
}
