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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command says to arguments that it cannot use. */
final class MicroCommandTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "micro | --kinds=value,heap | \"heap\" | aggregating",
                "micro | --serializers=xml | \"xml\" | kryo-registered",
                "micro | --workloads=cold | \"cold\" | hot",
                "micro | --compressions=zip | \"zip\" | snappy",
                "micro | --measure=heat | \"heat\" | update",
                "micro | --log-updates=0 | 0 | 1 or more",
                "micro | --forks=0 | 0 | 1 or more",
                "micro | --variants=theirs | \"theirs\" | STOCK",
                "recovery | --workload=value,cold | \"cold\" | sql",
                "recovery | --rate=10000,fast | \"fast\" | max",
                "recovery | --rate=-5 | \"-5\" | updates per second",
                "recovery | --kills=0 | --kills is 0 | 1 or more",
                "recovery | --parallelism=0 | --parallelism is 0 | 1 to 128",
                "recovery | --keys=3 | --keys is 3 | 4 or more",
                "recovery | --bandwidth=fast | \"fast\" | megabytes per second",
                "recovery | --bandwidth=0 | \"0\" | megabytes per second",
                "burst | --timers=0 | --timers is 0 | 1 or more",
                "burst | --rate=0 | --rate is 0 | 1 or more",
                "burst | --rate=-5 | --rate is -5 | 1 or more",
                "burst | --keys=3 | --keys is 3 | 4 or more",
                "burst | --value-bytes=8 | --value-bytes is 8 | 16 or more",
                "burst | --heap=128 | --heap is 128 | 129 to 7000 MB",
                "burst | --heap=7001 | --heap is 7001 | 129 to 7000 MB",
                "burst | --stall=120 | \"120\" | 15s",
                "burst | --errors=503:30s | \"503:30s\" | 503:30%:30s",
                "burst | --errors=200:30%:30s | \"200:30%:30s\" | 400 to 599",
                "burst | --errors=503:101%:30s | \"503:101%:30s\" | 0% to 100%",
                "burst | --recovery-limit=0 | --recovery-limit is 0 | 1 or more",
                "burst | --tolerable-failed-checkpoints=-1 | checkpoints is -1 | 0 or more",
                "burst | --latency=slow | \"slow\" | milliseconds, or none",
                "burst | --sigma=-1 | --sigma -1.0 | 0 or more",
                "burst | --slow-puts=101 | --slow-puts 101.0 | 0 to 100",
                "recovery | --warm-up=-1 | --warm-up comes to -1 s | 0 s or more",
                "space | --minutes=0 | --minutes to 0 s | 1 s or more",
                "space | --workload=cold | \"cold\" | SESSION",
                "space | --rate=0 | \"0\" | max",
                "space | -Dstate.changelog.materialize.log-size.min | log-size.min | KEY=VALUE",
                "space | --parallelism=129 | --parallelism is 129 | 1 to 128",
                "space | --interval=1 | \"1\" | 15s",
                "scale | --fleet=100,0 | --fleet has 0 | 1 or more",
                "scale | --slots=0 | --slots has 0 | 1 or more",
                "scale | --truncate=-1 | --truncate has -1 | 1 or more",
                "scale | --backend=hashmap | --backend is hashmap | leave it out",
                "serializers | --tables=cold | \"cold\" | record",
            })
    void aWrongArgumentIsNamedWithItsRemedy(
            String command, String argument, String value, String remedy) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, UTF_8));
        int exit;
        try {
            exit = Main.run(command, argument, "--project=.", "--run-dir=target/run");
        } finally {
            System.setErr(before);
        }
        assertThat(exit).isEqualTo(2);
        assertThat(said.toString(UTF_8)).contains(value.replace('"', '\''), remedy);
    }
}
