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

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * What the JVM of the JobManager tells of itself over JMX, on this machine. For one thread.
 *
 * <p>Each question costs that JVM CPU: whoever measures its CPU asks before or after.
 */
final class JobManagerView implements AutoCloseable {
    /** Deeper than where anybody takes the coordinator's lock, and below it writes metadata. */
    private static final int DEPTH = 80;

    private final JMXConnector connector;
    private final ThreadMXBean threads;
    private final MemoryMXBean memory;

    private JobManagerView(JMXConnector connector) throws IOException {
        this.connector = connector;
        MBeanServerConnection server = connector.getMBeanServerConnection();
        threads =
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        memory =
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    }

    /** Of the process of that id: one that this benchmark has started, on this machine. */
    @SuppressWarnings("BanJNDI")
    static JobManagerView of(long pid) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                return new JobManagerView(
                        JMXConnectorFactory.connect(
                                new JMXServiceURL(machine.startLocalManagementAgent())));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("the JVM of process " + pid + " lets nobody look into it", e);
        }
    }

    /** One look at who has the coordinator's lock. */
    void look(LockSamples at) {
        at.look(threads.dumpAllThreads(true, false, DEPTH));
    }

    /** In bytes, right after a full collection. */
    long liveHeap() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** In bytes. */
    long maxHeap() {
        return memory.getHeapMemoryUsage().getMax();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
