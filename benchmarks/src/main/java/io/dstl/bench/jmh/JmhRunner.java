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

import io.dstl.bench.jmh.JmhFork.Result;
import io.dstl.bench.run.Variant;
import io.dstl.e2e.progress.Progress;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Runs forks one at a time, and keeps in mind which classes each variant has loaded. */
final class JmhRunner {
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

    /** Some millions of updates, checkpoints among them. */
    Result updates(Variant variant, JmhCase of) throws IOException, InterruptedException {
        return run(
                "UpdateBenchmark",
                variant,
                of,
                fork("UpdateBenchmark", variant, of)
                        .batched(plan.scale().batch())
                        .lasting(plan.scale().counted()));
    }

    /** A log of a number of updates, written and replayed. */
    Result replay(Variant variant, JmhCase of) throws IOException, InterruptedException {
        return run(
                "ReplayBenchmark",
                variant,
                of,
                fork("ReplayBenchmark", variant, of).lasting(plan.scale().shots()));
    }

    /** The serializer alone, which no variant has a part in. */
    Result serializer(JmhCase of) throws IOException, InterruptedException {
        return run(
                "SerializerBenchmark",
                Variant.OFF,
                of,
                fork("SerializerBenchmark", Variant.OFF, of).lasting(plan.scale().timed()));
    }

    private JmhFork fork(String benchmark, Variant variant, JmhCase of) {
        return new JmhFork(environment, variant, benchmark)
                .with(of.parameters())
                .with("keys", Integer.toString(plan.scale().keys()))
                .with("interval", Integer.toString(plan.scale().interval()))
                .with("changes", Integer.toString(plan.scale().changes()));
    }

    private Result run(String benchmark, Variant variant, JmhCase of, JmhFork fork)
            throws IOException, InterruptedException {
        forks++;
        Result result = fork.run(forks + "-" + benchmark + "-" + variant.label() + "-" + of.key());
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
                        result.median()));
        return result;
    }
}
