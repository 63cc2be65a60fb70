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

import io.dstl.bench.jmh.SeedTable;
import io.dstl.bench.jmh.SerializersBenchmark;
import io.dstl.harness.progress.Instruments;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the tables of serializers. */
@Command(
        name = "serializers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description =
                "JMH: three published tables of serializers measured again, as updates of a value"
                        + " state on RocksDB without a changelog (off), with Flink's (stock) and"
                        + " ours (dstl), beside the published figures. Writes tables, JSON and"
                        + " plots.")
final class SerializersCommand implements Callable<Integer> {
    private static final String MARK =
            "<!-- table: made by benchmarks/run.sh serializers --docs -->\n";

    @Mixin private BenchOptions options;

    @Mixin private JmhOptions jmh;

    @Option(
            names = "--tables",
            split = ",",
            defaultValue = "pojo,string,record",
            description =
                    "pojo: one record by ten serializers; string: Flink's StringSerializer and"
                            + " writeUTF; record: a trade as bytes, as a POJO and as JSON.")
    private List<String> tables;

    @Override
    public Integer call() throws Exception {
        List<SeedTable> wanted =
                tables.stream().map(SeedTable::of).distinct().collect(Collectors.toList());
        SerializersBenchmark benchmark =
                new SerializersBenchmark(
                        jmh.plan(options, jmh.scale()),
                        wanted,
                        Instruments.printing(System.out).progress());
        options.run(
                "serializers", benchmark::run, report -> options.document(MARK, report.markdown()));
        return 0;
    }
}
