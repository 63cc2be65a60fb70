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

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class StateOptionsTest {
    @Test
    void aTableOfAnotherStateHasAMarkOfItsOwn() {
        assertThat(parsed().describe()).isEmpty();
        assertThat(parsed("--keys", "1000000", "--parallelism", "2").describe()).isEmpty();
        assertThat(parsed("--parallelism", "4").describe()).isEqualTo(" --parallelism 4");
        assertThat(parsed("--value-bytes", "20").describe()).isEqualTo(" --value-bytes 20");

        RunOptions.StateOptions large = parsed("--keys", "25000000", "--parallelism", "4");
        assertThat(large.describe()).isEqualTo(" --keys 25000000 --parallelism 4");
        assertThat(large.fileSuffix()).isEqualTo("-keys-25000000-parallelism-4");
    }

    private static RunOptions.StateOptions parsed(String... arguments) {
        Subcommand command = new Subcommand();
        new CommandLine(command).parseArgs(arguments);
        return command.state;
    }

    @Command
    private static final class Subcommand {
        @Mixin private RunOptions.StateOptions state;
    }
}
