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
package io.dstl.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DstlCommandTest {

    /** The output may be collected, as that of a job of Kubernetes is. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "orphans --D s3.secret-key=hunter2",
                "orphans -D s3.secret-key:hunter2",
                "orphans -D s3.access-key=x s3.secret-key=hunter2",
                "orphans -D fs.azure.account.key.a.net:hunter2,hunter2",
                "orphans --D fs.oss.accessKeySecret=hunter2",
                "orphans -D fs.oss.accessKeySecret:hunter2",
                "orphans -D s3.secret-key= hunter2",
                "orphans --D s3.secret-key hunter2",
                "orphans --session-token hunter2",
                "orphans --session-token=hunter2",
                "orphans -D s3.access-key=x --session-token hunter2",
                "orphans AWS_SECRET_ACCESS_KEY=hunter2",
                "orphans s3://AKIA:hunter2@bucket/x",
                "verify --threads s3://AKIA:hunter2@bucket/chk-1"
            })
    void keepsSecretsOutOfWhatIsWrong(String arguments) {
        StringWriter err = new StringWriter();

        int exitCode =
                DstlCommand.commandLine(Optional.empty(), () -> 0)
                        .setErr(new PrintWriter(err))
                        .execute(arguments.split(" "));

        assertThat(exitCode).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).isNotBlank().doesNotContain("hunter2").contains("***");
    }

    @Test
    void saysWhatIsWrongWhereNoSecretWasTyped() {
        StringWriter err = new StringWriter();

        DstlCommand.commandLine(Optional.empty(), () -> 0)
                .setErr(new PrintWriter(err))
                .execute("verify", "--threads", "many");

        assertThat(err.toString()).contains("--threads").contains("'many'");
    }
}
