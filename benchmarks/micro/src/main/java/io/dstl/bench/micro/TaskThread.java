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
package io.dstl.bench.micro;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What one thread alone has used: JMH's own profilers count all of them.
 *
 * <p>Threading: the thread that is looked at, which is the one that {@linkplain #start() starts}.
 */
final class TaskThread {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long bytesBefore;
    private long cpuBefore;

    void start() {
        bytesBefore = allocated();
        cpuBefore = threads.getCurrentThreadCpuTime();
    }

    /** Allocated since the start. */
    long bytes() {
        return allocated() - bytesBefore;
    }

    /** On a CPU since the start: without the time that it was ready but others ran. */
    long cpuNanos() {
        return threads.getCurrentThreadCpuTime() - cpuBefore;
    }

    private long allocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
