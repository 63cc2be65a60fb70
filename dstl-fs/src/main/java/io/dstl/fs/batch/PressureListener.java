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
package io.dstl.fs.batch;

/** Notified how bytes in flight limit the tasks. Any thread, one at a time; must not block. */
public interface PressureListener {

    /** What the tasks can still do. */
    enum Pressure {
        /** Everything. */
        NONE,
        /** They take no records. */
        UNAVAILABLE,
        /** They take no records, and since then task threads have had to wait. */
        WAITING
    }

    PressureListener NONE = (pressure, bytes) -> {};

    /**
     * Called in the order of the changes, outside of all locks. A change that was reverted before
     * its notification is skipped.
     *
     * @param bytes in flight
     */
    void changed(Pressure pressure, long bytes);
}
