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

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FileSystem;

/**
 * Creates named daemon threads: they never keep a process of Flink from ending, nor a job's classes
 * in memory. Their context class loader is Flink's own, whichever thread creates them; long-lived
 * threads that libraries start from them inherit it. They inherit neither the thread-locals of that
 * thread nor the classes on its stack. Any thread.
 */
public final class DaemonThreads implements ThreadFactory {

    private final String name;
    private final AtomicInteger made = new AtomicInteger();

    /**
     * @param name of the pool; a number is added per thread
     */
    public DaemonThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable work) {
        String numbered = name + "-" + made.incrementAndGet();
        Thread thread =
                AccessController.doPrivileged(
                        (PrivilegedAction<Thread>)
                                () -> new Thread(null, work, numbered, 0, false));
        thread.setDaemon(true);
        thread.setContextClassLoader(FileSystem.class.getClassLoader());
        return thread;
    }
}
