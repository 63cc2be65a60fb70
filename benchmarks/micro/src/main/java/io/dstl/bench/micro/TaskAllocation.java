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

/** What one thread alone has allocated: JMH's own profiler counts all of them. */
final class TaskAllocation {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long before;

    /** For the thread that is looked at, as {@link #bytes}. */
    void start() {
        before = allocated();
    }

    /** Since the start. */
    long bytes() {
        return allocated() - before;
    }

    private long allocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
