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
package io.dstl.bench.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Records where the threads of another JVM on this machine spend their CPU time: async-profiler,
 * loaded into it, with one timer of CPU time per thread. In Java or in native code, a thread that
 * runs is sampled alike, and one that waits is not.
 *
 * <p>One recording of a JVM at a time. For one thread.
 */
public final class CpuRecorder {
    /** Of CPU time of a thread, from one sample to the next. Longer than a tick of the kernel. */
    public static final Duration INTERVAL = Duration.ofMillis(5);

    /** For the JVM, so that a method inlined in another is not taken for that. */
    public static final String JVM_OPTIONS =
            "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";

    private static final String LIBRARY = "libasyncProfiler.so";

    /** The same for both: the threads are told apart while recording and when it is written. */
    private static final String FORMAT = ",threads,total,collapsed,file=";

    private final Path directory;

    /**
     * @param directory for the profiler's library
     */
    public CpuRecorder(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /** Starts recording. */
    public void start(long pid, Path recording) throws IOException {
        String event = "start,event=ctimer,interval=" + INTERVAL.toNanos();
        command(pid, event + FORMAT + recording.toAbsolutePath());
    }

    /** Stops recording, and writes down what was recorded. */
    public void stop(long pid, Path recording) throws IOException {
        command(pid, "stop" + FORMAT + recording.toAbsolutePath());
        if (!Files.exists(recording)) {
            throw new IOException(
                    "process " + pid + " did not write " + recording + ": its output says why");
        }
    }

    private void command(long pid, String arguments) throws IOException {
        String library = library().toString();
        try {
            VirtualMachine jvm = VirtualMachine.attach(Long.toString(pid));
            try {
                jvm.loadAgentPath(library, arguments);
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException e) {
            throw new IOException(
                    "process "
                            + pid
                            + " cannot be profiled: run it as the same user, without"
                            + " -XX:+DisableAttachMechanism",
                    e);
        } catch (AgentInitializationException e) {
            throw new IOException(
                    "async-profiler refused '"
                            + arguments
                            + "' with "
                            + e.returnValue()
                            + ": the output of process "
                            + pid
                            + " says why",
                    e);
        }
    }

    private Path library() throws IOException {
        Path library = directory.resolve(LIBRARY);
        if (!Files.exists(library)) {
            Files.createDirectories(directory);
            try (InputStream in = CpuRecorder.class.getResourceAsStream(resource())) {
                if (in == null) {
                    throw new IOException(
                            "async-profiler has no "
                                    + resource()
                                    + ": profile on Linux, x64 or arm64");
                }
                Files.copy(in, library);
            }
        }
        return library;
    }

    private static String resource() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        return "/" + system + "-" + processor + "/" + LIBRARY;
    }
}
