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
package io.dstl.bench.run;

import io.dstl.bench.profile.CpuRecorder;
import io.dstl.bench.profile.TaskProfile;
import io.dstl.bench.profile.TaskProfile.Work;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Measured.Sample;
import io.dstl.bench.run.Phase.Unfinished;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the threads of the tasks with the state spend their CPU time on. Comes after what is
 * measured undisturbed, as recording costs something.
 */
final class ProfilePhase implements Phase {
    /** A warm-up deletes the file in which the profiler looks RocksDB's calls up. */
    static final Map<String, String> CLUSTER_SETTINGS =
            Map.of(
                    "env.java.opts.taskmanager",
                    CpuRecorder.JVM_OPTIONS,
                    "state.changelog.replay.warm-up.enabled",
                    "false");

    private static final String KEY = "profile.";
    private static final String METHOD_KEY = KEY + "method.";
    private static final int METHODS = 10;

    private static final Quantity RECORDS =
            Quantity.of("Records/s while recording", KEY + "recordsPerSecond", "%.0f");
    private static final Quantity CPU =
            Quantity.of("CPU of the task threads, s/s", KEY + "cpu", "%.2f");
    private static final Quantity PER_RECORD =
            Quantity.of("CPU of the task threads, ns per record", KEY + "cpuPerRecord", "%.0f");
    private static final Quantity CHANGELOG_PER_RECORD =
            Quantity.of("of that the changelog, ns per record", KEY + "changelogPerRecord", "%.0f");
    private static final Quantity SAMPLED =
            Quantity.of(
                    "CPU of all threads, sampled ÷ as the system counts it",
                    KEY + "sampledToCounted",
                    "%.2f");

    private final Duration time;
    private final CpuRecorder recorder;
    private final Path recording;

    /**
     * @param time to record
     * @param recording the file that has it then
     */
    ProfilePhase(Duration time, CpuRecorder recorder, Path recording) {
        this.time = time;
        this.recorder = recorder;
        this.recording = recording;
    }

    /** Whether it is of this phase. */
    static boolean finds(Quantity quantity) {
        return quantity.key().startsWith(KEY);
    }

    /** Whether it is one of this phase, but not of a single method. */
    static boolean findsOfThreads(Quantity quantity) {
        return finds(quantity) && !findsOfMethods(quantity);
    }

    /** Whether it is one of single methods. */
    static boolean findsOfMethods(Quantity quantity) {
        return quantity.key().startsWith(METHOD_KEY);
    }

    @Override
    public String title() {
        return "profile";
    }

    @Override
    public List<Quantity> quantities() {
        List<Quantity> all = new ArrayList<>();
        for (Work work : Work.values()) {
            all.add(share(work));
        }
        all.addAll(List.of(PER_RECORD, CHANGELOG_PER_RECORD, CPU, RECORDS, SAMPLED));
        return all;
    }

    private static Quantity share(Work work) {
        return Quantity.of("% " + work.title(), KEY + "percent." + work.key(), "%.1f");
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        long taskManager = job.taskManagerPid();
        recorder.start(taskManager, recording);
        Sample before = job.sample();
        job.runFor("profiled", time);
        Sample after = job.sample();
        recorder.stop(taskManager, recording);
        TaskProfile profile = TaskProfile.of(job.vertices(), recording);
        job.say(
                String.format(
                        Locale.ROOT,
                        "%.1f%% of the task threads are the changelog's: %s",
                        profile.percent(Work.CHANGELOG),
                        recording));
        return findings(profile, before, after);
    }

    private static List<Finding> findings(TaskProfile profile, Sample before, Sample after) {
        List<Finding> findings = new ArrayList<>();
        for (Work work : Work.values()) {
            findings.add(Finding.of(share(work), profile.percent(work)));
        }
        double seconds = Duration.between(before.at, after.at).toNanos() / 1e9;
        double records = Math.max(1, after.records - before.records);
        double perRecord = profile.taskNanos() / records;
        findings.add(Finding.of(PER_RECORD, perRecord));
        findings.add(
                Finding.of(
                        CHANGELOG_PER_RECORD, perRecord * profile.percent(Work.CHANGELOG) / 100));
        findings.add(Finding.of(CPU, profile.taskNanos() / 1e9 / seconds));
        findings.add(Finding.of(RECORDS, records / seconds));
        long counted = after.cpu.minus(before.cpu).toNanos();
        findings.add(Finding.of(SAMPLED, (double) profile.processNanos() / counted));
        profile.changelogMethods(METHODS)
                .forEach(
                        (method, percent) ->
                                findings.add(
                                        Finding.of(
                                                Quantity.of(
                                                        "% " + method, METHOD_KEY + method, "%.1f"),
                                                percent)));
        return findings;
    }
}
