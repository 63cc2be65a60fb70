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
package io.dstl.e2e.chaos;

import io.dstl.e2e.cluster.FlinkProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Threads and heap of a process at one moment, after a collection of garbage. Immutable. */
final class Vitals {
    /** For the answer of one process. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * Twice what a TaskManager with two slots of this job has, pools of all kinds at their most.
     */
    private static final int MOST_THREADS = 500;

    /** After a full collection: the rest has to do for what is in flight. */
    private static final int MOST_HEAP_PERCENT = 75;

    private static final Pattern USED =
            Pattern.compile("(?:generation|heap)\\s+total \\d+K, used (\\d+)K");
    private static final Pattern MAX_HEAP = Pattern.compile("MaxHeapSize=(\\d+)");
    private static final Pattern THREADS = Pattern.compile("Threads:\\s+(\\d+)");

    private final String process;
    private final int threads;
    private final Optional<Integer> heapPercent;

    Vitals(String process, int threads, Optional<Integer> heapPercent) {
        this.process = process;
        this.threads = threads;
        this.heapPercent = heapPercent;
    }

    /**
     * Asks the process; the heap only where this Java has {@code jcmd}.
     *
     * @param scratch a directory to write to
     */
    static Vitals of(FlinkProcess process, Path javaHome, Path scratch)
            throws IOException, InterruptedException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        int threads =
                Files.exists(status)
                        ? number(THREADS, Files.readString(status)).map(Long::intValue).orElse(0)
                        : 0;
        Path jcmd = javaHome.resolve("bin").resolve("jcmd");
        if (!Files.isExecutable(jcmd)) {
            return new Vitals(process.name(), threads, Optional.empty());
        }
        Path questions = scratch.resolve("vitals.jcmd");
        Files.write(
                questions,
                List.of("GC.run", "GC.heap_info", "VM.flags"),
                StandardCharsets.US_ASCII);
        String answers = ask(jcmd, process, questions);
        Optional<Long> most = number(MAX_HEAP, answers);
        long kilobytes = used(answers);
        return new Vitals(
                process.name(),
                threads,
                most.filter(bytes -> bytes > 0 && kilobytes > 0)
                        .map(bytes -> (int) (100 * 1024 * kilobytes / bytes)));
    }

    /** Over all generations, in KB. */
    static long used(String heapInfo) {
        long used = 0;
        Matcher matcher = USED.matcher(heapInfo);
        while (matcher.find()) {
            used += Long.parseLong(matcher.group(1));
        }
        return used;
    }

    boolean withinBounds() {
        return threads <= MOST_THREADS && heapPercent.orElse(0) <= MOST_HEAP_PERCENT;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %d threads, heap %s",
                process,
                threads,
                heapPercent.map(percent -> percent + "% after a collection").orElse("not known"));
    }

    private static String ask(Path jcmd, FlinkProcess process, Path questions)
            throws IOException, InterruptedException {
        Process asked =
                new ProcessBuilder(
                                jcmd.toString(),
                                Long.toString(process.pid()),
                                "-f",
                                questions.toString())
                        .redirectErrorStream(true)
                        .start();
        // A process that does not get to a safepoint answers never.
        Thread end =
                new Thread(
                        () -> {
                            try {
                                if (!asked.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                                    asked.destroyForcibly();
                                }
                            } catch (InterruptedException e) {
                                asked.destroyForcibly();
                            }
                        },
                        "jcmd-end");
        end.setDaemon(true);
        end.start();
        String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        asked.waitFor();
        return answer;
    }

    private static Optional<Long> number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
    }
}
