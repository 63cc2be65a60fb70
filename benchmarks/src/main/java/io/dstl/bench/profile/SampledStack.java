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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What one thread did, and for how much of its CPU time. Immutable. */
final class SampledStack {
    private static final Pattern LINE =
            Pattern.compile(
                    "\\[(?:(?<name>.*?) )?tid=\\d+](?:;(?<frames>.*))? (?<nanos>\\d{1,18})");

    final String thread;
    final List<StackFrame> frames;
    final long nanos;

    /**
     * @param thread its name
     * @param frames the innermost first
     * @param nanos of CPU
     */
    SampledStack(String thread, List<StackFrame> frames, long nanos) {
        this.thread = thread;
        this.frames = List.copyOf(frames);
        this.nanos = nanos;
    }

    /** All stacks of a recording. */
    static List<SampledStack> read(Path recording) throws IOException {
        List<SampledStack> stacks = new ArrayList<>();
        for (String line : Files.readAllLines(recording, StandardCharsets.UTF_8)) {
            try {
                stacks.add(parse(line));
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        recording
                                + " is no recording of threads: line "
                                + (stacks.size() + 1)
                                + " is '"
                                + line
                                + "'",
                        e);
            }
        }
        return stacks;
    }

    /**
     * {@code [thread tid=7];outermost;...;innermost nanos}. A thread that ended before the profiler
     * learned its name is {@code [tid=7]}: its name is empty.
     */
    static SampledStack parse(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no stack of a thread: " + line);
        }
        List<StackFrame> frames = new ArrayList<>();
        if (parts.group("frames") != null) {
            for (String frame : parts.group("frames").split(";", -1)) {
                frames.add(StackFrame.parse(frame));
            }
        }
        Collections.reverse(frames);
        return new SampledStack(
                Optional.ofNullable(parts.group("name")).orElse(""),
                frames,
                Long.parseLong(parts.group("nanos")));
    }

    /** One method on a stack. A value. */
    static final class StackFrame {
        /** With its package; empty for native code. */
        final String className;

        private final String method;

        StackFrame(String className, String method) {
            this.className = className;
            this.method = method;
        }

        /**
         * As the profiler writes it: {@code java/lang/Thread.run}. What is no method of Java has no
         * class.
         */
        static StackFrame parse(String text) {
            int slash = text.indexOf('/');
            int dot = text.lastIndexOf('.');
            if (slash <= 0 || dot < slash || text.contains("::") || text.startsWith("[")) {
                return new StackFrame("", text);
            }
            return new StackFrame(
                    text.substring(0, dot).replace('/', '.'), text.substring(dot + 1));
        }

        /** For a reader: without the package, and without what tells one lambda from another. */
        String label() {
            int lambda = className.indexOf("$$Lambda");
            String named = lambda < 0 ? className : className.substring(0, lambda);
            return named.substring(named.lastIndexOf('.') + 1) + "." + method;
        }
    }
}
