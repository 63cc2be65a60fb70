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
package io.dstl.bench;

import io.dstl.bench.jmh.JmhPlan;
import io.dstl.bench.jmh.JmhPlan.JmhScale;
import io.dstl.bench.run.Benchmark.Machine;
import io.dstl.bench.run.Variant;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/** What the commands that run JMH have in common. */
final class JmhOptions {
    @Option(
            names = "--variants",
            split = ",",
            defaultValue = "off,stock,dstl",
            description = "Of: ${COMPLETION-CANDIDATES}.")
    private List<Variant> variants;

    @Option(names = "--forks", defaultValue = "5", description = "Of each; figures are medians.")
    private int forks;

    @Option(names = "--quick", description = "Short forks: for a look, not to quote.")
    private boolean quick;

    @Option(names = "--smoke", hidden = true)
    private boolean smoke;

    JmhPlan plan(BenchOptions options, JmhScale scale) throws IOException {
        return new JmhPlan(options.paths(), variants, scale)
                .condition("command", options.command())
                .condition("commit", options.commit())
                .condition("machine", Machine.describe());
    }

    JmhScale scale() {
        if (smoke) {
            return JmhScale.smoke();
        }
        return quick ? JmhScale.quick(forks) : JmhScale.full(forks);
    }
}
