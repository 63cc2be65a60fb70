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
package io.dstl.changelog.bulk;

/** How a restore may replay in bulk. */
public final class BulkSettings {
    private static final BulkSettings OFF = new BulkSettings(false, 1, 0);

    private final boolean enabled;
    private final int threads;
    private final long memoryBytes;

    private BulkSettings(boolean enabled, int threads, long memoryBytes) {
        this.enabled = enabled;
        this.threads = threads;
        this.memoryBytes = memoryBytes;
    }

    /** All changes one by one, through the states. */
    public static BulkSettings off() {
        return OFF;
    }

    /**
     * @param threads 1: no other than the task's; more: as many beside it
     * @param memoryBytes of heap, for changes that are not written yet; all threads together
     */
    public static BulkSettings of(int threads, long memoryBytes) {
        return new BulkSettings(true, threads, memoryBytes);
    }

    /**
     * For what is taken in before there is a delegate: on one thread. With all of the memory, as it
     * is written, and its memory given back, before anything else is added.
     */
    public BulkSettings early() {
        return new BulkSettings(enabled, 1, memoryBytes);
    }

    public boolean isEnabled() {
        return enabled;
    }

    public int threads() {
        return threads;
    }

    public long memoryBytes() {
        return memoryBytes;
    }
}
