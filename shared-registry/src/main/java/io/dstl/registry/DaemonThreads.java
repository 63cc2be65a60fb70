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

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FileSystem;

/**
 * Creates named daemon threads: they never keep a process of Flink from ending, nor a job's classes
 * in memory. Their context class loader is Flink's own, whichever thread creates them; long-lived
 * threads that libraries start from them inherit it. Any thread.
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
        Thread thread = new Thread(work, name + "-" + made.incrementAndGet());
        thread.setDaemon(true);
        thread.setContextClassLoader(FileSystem.class.getClassLoader());
        return thread;
    }
}
