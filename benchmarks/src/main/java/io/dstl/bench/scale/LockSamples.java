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
package io.dstl.bench.scale;

import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;

/**
 * Who holds the lock of the checkpoint coordinator, look by look. For one thread.
 *
 * <p>The share of the looks that find it held, times the time between the first and the last, is
 * the time under the lock, give or take the looks' own distance.
 */
final class LockSamples {
    static final String COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator";
    private static final String METADATA = "org.apache.flink.runtime.checkpoint.PendingCheckpoint";
    private static final String FINALIZE = "finalizeCheckpoint";

    private final String owner;
    private int looks;
    private int held;
    private int heldForMetadata;
    private int waiting;

    /**
     * @param owner the class whose lock it is, an {@link Object}: {@link #COORDINATOR}
     */
    LockSamples(String owner) {
        this.owner = owner;
    }

    /** One look at all threads, with the monitors that they have locked. */
    void look(ThreadInfo[] threads) {
        looks++;
        int lock = 0;
        for (ThreadInfo thread : threads) {
            int mine = thread == null ? 0 : lockOf(thread);
            if (mine != 0) {
                lock = mine;
                held++;
                heldForMetadata += writesMetadata(thread) ? 1 : 0;
            }
        }
        for (ThreadInfo thread : threads) {
            if (lock != 0
                    && thread != null
                    && thread.getThreadState() == Thread.State.BLOCKED
                    && thread.getLockInfo() != null
                    && thread.getLockInfo().getIdentityHashCode() == lock) {
                waiting++;
            }
        }
    }

    int looks() {
        return looks;
    }

    /** Of the looks, from 0 to 1, that found it held. */
    double heldShare() {
        return share(held);
    }

    /** The same, held while the checkpoint's metadata are written. */
    double metadataShare() {
        return share(heldForMetadata);
    }

    /** Threads that waited for it, on average over all looks. */
    double waiting() {
        return share(waiting);
    }

    private double share(int count) {
        return looks == 0 ? 0 : (double) count / looks;
    }

    /** The identity of the coordinator's lock where this thread has it; 0 where not. */
    private int lockOf(ThreadInfo thread) {
        for (MonitorInfo monitor : thread.getLockedMonitors()) {
            StackTraceElement at = monitor.getLockedStackFrame();
            if (at != null
                    && at.getClassName().equals(owner)
                    && monitor.getClassName().equals(Object.class.getName())) {
                return monitor.getIdentityHashCode();
            }
        }
        return 0;
    }

    private static boolean writesMetadata(ThreadInfo thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().equals(METADATA) && frame.getMethodName().equals(FINALIZE)) {
                return true;
            }
        }
        return false;
    }
}
