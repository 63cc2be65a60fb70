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

import io.dstl.bench.jmh.JmhPlan.JmhCase;
import io.dstl.bench.jmh.JmhPlan.JmhScale;
import io.dstl.bench.jmh.MicroBenchmark;
import io.dstl.bench.jmh.MicroBenchmark.MicroReport;
import io.dstl.bench.micro.KeyOrder;
import io.dstl.bench.micro.PayloadKind;
import io.dstl.bench.micro.StateKind;
import io.dstl.harness.progress.Instruments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the micro benchmark. */
@Command(
        name = "micro",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "JMH: what an update of keyed state on RocksDB takes and allocates on the task's"
                        + " thread, what it leaves in the log and how fast that is replayed;"
                        + " without a changelog (off), with Flink's (stock) and ours (dstl), each in"
                        + " JVMs of its own. Writes a table, JSON and plots.")
final class MicroCommand implements Callable<Integer> {
    private static final String ALL = "all";

    @Mixin private BenchOptions options;

    @Mixin private JmhOptions jmh;

    @Option(
            names = "--kinds",
            split = ",",
            defaultValue = "value,map,list,reducing,aggregating",
            description =
                    "Kinds of state: the first with each of the serializers, the others with the"
                            + " first of them. Logs are weighed of the first kind.")
    private List<String> kinds;

    @Option(
            names = "--all-pairs",
            description = "Each kind with each of the serializers, logs too.")
    private boolean allPairs;

    @Option(
            names = "--serializers",
            split = ",",
            defaultValue = "long,bytes,string,pojo,kryo",
            description =
                    "What the state holds: all, or of long, bytes, string, string-long,"
                            + " string-wide, string-wide-long, pojo, tuple, row, avro-specific,"
                            + " avro-generic, avro-reflect, kryo, kryo-registered, thrift,"
                            + " protobuf, tick.")
    private List<String> serializers;

    @Option(
            names = "--workloads",
            split = ",",
            defaultValue = "uniform,hot",
            description =
                    "uniform: no key comes again within a checkpoint; hot: 90%% of the updates go"
                            + " to 1%% of the keys. Logs are weighed for each, updates timed for"
                            + " the first.")
    private List<String> workloads;

    @Option(
            names = "--compressions",
            split = ",",
            defaultValue = "none,snappy",
            description =
                    "Of the log: none, snappy. Logs are weighed for each, updates timed for the"
                            + " first, and the first state for each.")
    private List<String> compressions;

    @Option(
            names = "--measure",
            split = ",",
            defaultValue = "update,log",
            description =
                    "update: time and allocation; log: size and replay; start: replay in a JVM that"
                            + " has never replayed.")
    private List<String> measure;

    @Option(
            names = "--log-updates",
            description = "Of each log; by default 300,000, with --quick 100,000.")
    private Integer logUpdates;

    @Override
    public Integer call() throws Exception {
        List<JmhCase> logged =
                cases(allPairs ? kinds : kinds.subList(0, 1), compressions(), orders());
        MicroBenchmark benchmark =
                new MicroBenchmark(
                        jmh.plan(options, scale()),
                        measures("update") ? timed() : List.of(),
                        measures("log") ? logged : List.of(),
                        measures("start") ? logged : List.of(),
                        Instruments.printing(System.out).progress());
        options.run("micro", benchmark::run, this::fill);
        return 0;
    }

    private void fill(MicroReport report) throws IOException {
        String part = measures("update") ? "" : " --measure " + String.join(",", measure);
        options.document(
                "<!-- table: made by benchmarks/run.sh micro" + part + " --docs -->\n",
                report.markdown());
    }

    private JmhScale scale() {
        return logUpdates == null ? jmh.scale() : jmh.scale().withLogsOf(logUpdates);
    }

    private List<JmhCase> timed() {
        List<KeyOrder> order = orders().subList(0, 1);
        List<JmhCase> timed = cases(kinds, compressions().subList(0, 1), order);
        for (boolean other : compressions().subList(1, compressions.size())) {
            timed.add(
                    new JmhCase(
                            StateKind.of(kinds.get(0)), payloads().get(0), order.get(0), other));
        }
        return timed;
    }

    private List<JmhCase> cases(
            List<String> ofKinds, List<Boolean> compressed, List<KeyOrder> orders) {
        List<JmhCase> cases = new ArrayList<>();
        for (String kind : ofKinds) {
            for (PayloadKind payload : payloads(kind)) {
                for (KeyOrder order : orders) {
                    for (boolean each : compressed) {
                        cases.add(new JmhCase(StateKind.of(kind), payload, order, each));
                    }
                }
            }
        }
        return cases;
    }

    private List<PayloadKind> payloads(String kind) {
        boolean first = kind.equals(kinds.get(0));
        return first || allPairs ? payloads() : payloads().subList(0, 1);
    }

    private List<PayloadKind> payloads() {
        return serializers.equals(List.of(ALL))
                ? Arrays.stream(PayloadKind.values())
                        .filter(PayloadKind::offered)
                        .collect(Collectors.toList())
                : serializers.stream().map(PayloadKind::of).collect(Collectors.toList());
    }

    private List<KeyOrder> orders() {
        return workloads.stream().map(KeyOrder::of).collect(Collectors.toList());
    }

    private List<Boolean> compressions() {
        return compressions.stream().map(MicroCommand::compressed).collect(Collectors.toList());
    }

    private static boolean compressed(String name) {
        switch (name.toLowerCase(Locale.ROOT)) {
            case "none":
                return false;
            case "snappy":
                return true;
            default:
                throw new IllegalArgumentException(
                        "--compressions has '" + name + "': give none, snappy");
        }
    }

    private boolean measures(String what) {
        List<String> known = List.of("update", "log", "start");
        for (String each : measure) {
            if (!known.contains(each)) {
                throw new IllegalArgumentException(
                        "--measure has '" + each + "': give update, log, start");
            }
        }
        return measure.contains(what);
    }
}
