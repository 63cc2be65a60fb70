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
package io.dstl.bench.jmh;

import io.dstl.bench.jmh.JmhFork.ForkEnvironment;
import io.dstl.bench.jmh.JmhFork.Result;
import io.dstl.bench.jmh.JmhPlan.JmhCase;
import io.dstl.bench.jmh.JmhPlan.JmhScale;
import io.dstl.bench.run.Variant;
import io.dstl.harness.progress.Progress;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs forks, of which one at a time has work to measure, and keeps in mind which classes each
 * variant has loaded.
 */
final class JmhRunner {
    private static final String UPDATE = "UpdateBenchmark";
    private static final String REPLAY = "ReplayBenchmark";
    private static final String SERIALIZER = "SerializerBenchmark";

    private final JmhPlan plan;
    private final ForkEnvironment environment;
    private final Progress progress;
    private final Map<String, Map<String, String>> loaded = new LinkedHashMap<>();
    private int forks;

    JmhRunner(JmhPlan plan, Progress progress) {
        this.plan = plan;
        this.environment = new ForkEnvironment(plan.paths());
        this.progress = progress;
    }

    /** By variant and role. */
    Map<String, Map<String, String>> loaded() {
        return loaded;
    }

    /**
     * Batches of updates, checkpoints among them, by each of the variants in turn: their JVMs run
     * side by side, and one of them at a time updates.
     */
    Map<Variant, Result> updates(List<Variant> variants, JmhCase of)
            throws IOException, InterruptedException {
        Map<Variant, JmhFork.Running> running = new LinkedHashMap<>();
        Map<Variant, Result> results = new LinkedHashMap<>();
        try (Turns turns = Turns.among(variants.size())) {
            List<String> options = List.of(turns.option(), "-Djmh.ignoreLock=true");
            for (Variant variant : variants) {
                JmhFork fork =
                        fork(UPDATE, variant, of)
                                .batched(plan.scale().batch())
                                .lasting(plan.scale().counted());
                JmhFork.Running started = fork.start(nextName(UPDATE, variant, of), options);
                running.put(variant, started);
                started.ifFailed(turns::close);
            }
            for (Map.Entry<Variant, JmhFork.Running> each : running.entrySet()) {
                Result result = each.getValue().result();
                results.put(each.getKey(), ended(UPDATE, each.getKey(), of, result, result.mean()));
            }
        } finally {
            running.values().forEach(JmhFork.Running::close);
        }
        return results;
    }

    /** A log of a number of updates, written and replayed. */
    Result replay(Variant variant, JmhCase of) throws IOException, InterruptedException {
        JmhFork fork = fork(REPLAY, variant, of).lasting(plan.scale().shots());
        return run(REPLAY, variant, of, fork);
    }

    /** The same, replayed once, in a JVM that has only written it. */
    Result firstReplay(Variant variant, JmhCase of) throws IOException, InterruptedException {
        JmhFork fork = fork(REPLAY, variant, of).lasting(JmhScale.firstShot());
        return run(REPLAY, variant, of, fork);
    }

    /** The serializer alone, which no variant has a part in. */
    Result serializer(JmhCase of) throws IOException, InterruptedException {
        JmhFork fork = fork(SERIALIZER, Variant.OFF, of).lasting(plan.scale().timed());
        return run(SERIALIZER, Variant.OFF, of, fork);
    }

    private JmhFork fork(String benchmark, Variant variant, JmhCase of) {
        return new JmhFork(environment, variant, benchmark)
                .with(of.parameters())
                .with("keys", Integer.toString(plan.scale().keys()))
                .with("rehearsals", Integer.toString(plan.scale().rehearsals()))
                .with("interval", Integer.toString(plan.scale().interval()))
                .with("changes", Integer.toString(plan.scale().logUpdates()));
    }

    private Result run(String benchmark, Variant variant, JmhCase of, JmhFork fork)
            throws IOException, InterruptedException {
        try (JmhFork.Running running = fork.start(nextName(benchmark, variant, of), List.of())) {
            Result result = running.result();
            return ended(benchmark, variant, of, result, result.median());
        }
    }

    private String nextName(String benchmark, Variant variant, JmhCase of) {
        forks++;
        return forks + "-" + benchmark + "-" + variant.label() + "-" + of.key();
    }

    private Result ended(
            String benchmark, Variant variant, JmhCase of, Result result, double found) {
        if (!result.loaded().isEmpty()) {
            loaded.put(variant.label(), result.loaded());
        }
        progress.say(
                String.format(
                        Locale.ROOT,
                        "%-5s %s, %s: %s %.1f",
                        variant.label(),
                        of.subject(),
                        of.circumstances(),
                        benchmark,
                        found));
        return result;
    }
}
