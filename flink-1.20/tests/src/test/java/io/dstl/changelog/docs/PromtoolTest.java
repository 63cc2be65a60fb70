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
package io.dstl.changelog.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus' own tool takes the rules and the queries, and each alert fires when it should. */
@ExtendWith(PromtoolTest.RequiresPromtool.class)
class PromtoolTest {
    private static final String PROMTOOL = "promtool";

    @Test
    void theRulesAreValid() throws Exception {
        run("check", "rules", AlertRules.DIRECTORY.resolve(AlertRules.NAME).toString());
    }

    @Test
    void eachAlertFiresWhenItShouldAndOnlyThen() throws Exception {
        run("test", "rules", AlertRules.DIRECTORY.resolve(AlertRules.TESTS).toString());
    }

    @Test
    void theQueriesOfTheDashboardAreValid(@TempDir Path directory) throws Exception {
        List<String> lines = new ArrayList<>(Arrays.asList("groups:", "- name: q", "  rules:"));
        for (String query : DashboardFile.read().queries().values()) {
            lines.add("  - record: query_" + lines.size());
            lines.add("    expr: '" + query.replace("$__rate_interval", "5m") + "'");
        }

        run("check", "rules", Files.write(directory.resolve("queries.yaml"), lines).toString());
    }

    private static void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Arrays.asList(PROMTOOL));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Skips where there is none, but never in CI. */
    static final class RequiresPromtool implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (Boolean.parseBoolean(System.getenv("CI"))) {
                return ConditionEvaluationResult.enabled("CI is set");
            }
            return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                            .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROMTOOL)))
                    ? ConditionEvaluationResult.enabled("promtool is on the PATH")
                    : ConditionEvaluationResult.disabled(
                            "no promtool on the PATH: Debian's package prometheus has it");
        }
    }
}
