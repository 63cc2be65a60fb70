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
package io.dstl.bench.job;

import io.dstl.bench.job.TotalsFile.RunningTotals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Numbers that the subtasks of an operator write down at their end, one file each. */
public final class TotalsFile {
    /** Of the source: how many came from each split. */
    public static final String UPDATES = "updates";

    /** Of the state: what it, or the results of its windows, came to. */
    public static final String STATE = "state";

    private TotalsFile() {}

    /** Replaces what the same subtask wrote before: it may come to its end twice. */
    static void write(String directory, String name, int subtask, long... totals)
            throws IOException {
        Path folder = Files.createDirectories(Path.of(directory));
        String text =
                Arrays.stream(totals).mapToObj(Long::toString).collect(Collectors.joining(" "));
        Path next = folder.resolve("next-" + name + "-" + subtask);
        Files.writeString(next, text, StandardCharsets.UTF_8);
        Files.move(
                next,
                folder.resolve(name + "-" + subtask),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * The sums over all subtasks, number by number.
     *
     * @throws IOException when there is not one file of each subtask
     */
    public static long[] sum(Path directory, String name, int subtasks) throws IOException {
        long[] sum = new long[0];
        int files = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, name + "-*")) {
            for (Path file : all) {
                long[] one =
                        Arrays.stream(Files.readString(file, StandardCharsets.UTF_8).split(" "))
                                .mapToLong(Long::parseLong)
                                .toArray();
                sum = files++ == 0 ? one : add(sum, one);
            }
        }
        if (files != subtasks) {
            throw new IOException(
                    directory + " has " + files + " files " + name + "-*, not " + subtasks);
        }
        return sum;
    }

    private static long[] add(long[] left, long[] right) {
        long[] sum = left.clone();
        Arrays.setAll(sum, i -> left[i] + right[i]);
        return sum;
    }

    /**
     * Numbers that follow from all that passed through, exactly once; written down in the end.
     *
     * @param <IN> what passes
     */
    abstract static class RunningTotals<IN> extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<IN, Long> {
        private final String results;
        private final String name;
        private final long[] totals;
        private transient ListState<Long> kept;

        /**
         * @param results the directory
         * @param name of the files in it
         * @param size how many numbers
         */
        RunningTotals(String results, String name, int size) {
            this.results = results;
            this.name = name;
            this.totals = new long[size];
        }

        /** The task's own array, to be changed in place. */
        final long[] totals() {
            return totals;
        }

        @Override
        public final void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            kept =
                    context.getOperatorStateStore()
                            .getListState(
                                    new ListStateDescriptor<>("totals", LongSerializer.INSTANCE));
            int i = 0;
            for (long total : kept.get()) {
                totals[i++] = total;
            }
        }

        @Override
        public final void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            kept.clear();
            for (long total : totals) {
                kept.add(total);
            }
        }

        @Override
        public final void finish() throws Exception {
            super.finish();
            TotalsFile.write(
                    results,
                    name,
                    getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                    Arrays.copyOf(totals, totals.length));
        }
    }

    /** Counts the updates of each split as they leave the source. */
    static final class UpdateCount extends RunningTotals<Long> {
        UpdateCount(String results) {
            super(results, TotalsFile.UPDATES, Updates.SPLITS);
        }

        @Override
        public void processElement(StreamRecord<Long> update) {
            totals()[Updates.split(update.getValue())]++;
            output.collect(update);
        }
    }
}
