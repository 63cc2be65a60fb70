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

import io.dstl.harness.net.ServerProcess;
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

    /**
     * A generation's line of the Serial or the Parallel collector, or the heap's of G1. What they
     * consist of has no total, and the metaspace neither. Java 25 tells of G1 what is reserved.
     */
    private static final Pattern USED =
            Pattern.compile("\\stotal (?:reserved \\d+K, committed )?\\d+K, used (\\d+)K");

    private static final Pattern MAX_HEAP = Pattern.compile("MaxHeapSize=(\\d+)");
    private static final Pattern THREADS = Pattern.compile("Threads:\\s+(\\d+)");

    private static final int SHOWN_CHARACTERS = 300;

    private final String process;
    private final int threads;
    private final String answers;
    private final Optional<Integer> heapPercent;

    /**
     * @param answers of {@code jcmd} after a collection: {@code GC.heap_info} and {@code VM.flags};
     *     or why there are none
     */
    Vitals(String process, int threads, String answers) {
        this.process = process;
        this.threads = threads;
        this.answers = answers;
        this.heapPercent = heapPercent(answers);
    }

    /**
     * Asks the process. What does not answer has a heap that is not known.
     *
     * @param javaHome of a JDK, as a JRE has no {@code jcmd}
     * @param scratch a directory to write to
     */
    static Vitals of(ServerProcess process, Path javaHome, Path scratch)
            throws IOException, InterruptedException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        int threads =
                Files.exists(status)
                        ? number(THREADS, Files.readString(status)).map(Long::intValue).orElse(0)
                        : 0;
        return new Vitals(process.name(), threads, ask(javaHome, process.pid(), scratch, PATIENCE));
    }

    private static Optional<Integer> heapPercent(String answers) {
        long kilobytes = used(answers);
        return number(MAX_HEAP, answers)
                .filter(bytes -> bytes > 0 && kilobytes > 0)
                .map(bytes -> (int) (100 * 1024 * kilobytes / bytes));
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

    /** A heap that is not known is out of them: it may be full. */
    boolean withinBounds() {
        return threads <= MOST_THREADS
                && heapPercent.filter(percent -> percent <= MOST_HEAP_PERCENT).isPresent();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %d threads, heap %s",
                process,
                threads,
                heapPercent
                        .map(percent -> percent + "% after a collection")
                        .orElseGet(
                                () ->
                                        "not known; that takes a JDK with jcmd, and the Serial,"
                                                + " the Parallel or the G1 collector: "
                                                + shown()));
    }

    private String shown() {
        String line = answers.trim().replaceAll("\\s+", " ");
        return line.length() <= SHOWN_CHARACTERS
                ? line
                : line.substring(0, SHOWN_CHARACTERS) + " ...";
    }

    /** Returns what {@code jcmd} says, or why it says nothing. */
    static String ask(Path javaHome, long pid, Path scratch, Duration patience)
            throws IOException, InterruptedException {
        Path jcmd = javaHome.resolve("bin").resolve("jcmd");
        if (!Files.isExecutable(jcmd)) {
            return "there is no " + jcmd;
        }
        Path questions = scratch.resolve("vitals.jcmd");
        Path answers = scratch.resolve("vitals.txt");
        Files.write(
                questions,
                List.of("GC.run", "GC.heap_info", "VM.flags"),
                StandardCharsets.US_ASCII);
        Process asked =
                new ProcessBuilder(jcmd.toString(), Long.toString(pid), "-f", questions.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(answers.toFile())
                        .start();
        try {
            // A process that does not get to a safepoint never answers.
            if (!asked.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return "jcmd got no answer within " + patience.toSeconds() + " s";
            }
        } finally {
            asked.destroyForcibly();
        }
        return Files.readString(answers, StandardCharsets.UTF_8);
    }

    private static Optional<Long> number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
    }
}
