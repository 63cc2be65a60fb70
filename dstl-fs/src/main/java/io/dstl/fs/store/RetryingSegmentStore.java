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

import io.dstl.fs.option.RetrySettings;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Attempts each put several times: beside the one that has timed out, or after a pause where one
 * has failed. The first success counts; what a later one stores is deleted. No failure of an
 * attempt fails the put while another attempt is left.
 *
 * <p>Only puts are retried: reading and deleting pass through.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} has it; further attempts are started on the timer's
 * thread.
 */
public final class RetryingSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final RetrySettings settings;
    private final ScheduledExecutorService timer;
    private final AttemptsListener attempts;

    public RetryingSegmentStore(
            SegmentStore store,
            RetrySettings settings,
            ScheduledExecutorService timer,
            AttemptsListener attempts) {
        this.store = store;
        this.settings = settings;
        this.timer = timer;
        this.attempts = attempts;
    }

    /** Completes on the thread that stored the segment, or on the timer's at the last timeout. */
    @Override
    public CompletableFuture<FileStateHandle> put(SegmentContent content, PutListener listener) {
        return new RetriedPut(store, settings, timer, attempts, content, listener).start();
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return store.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        store.delete(segment);
    }
}
