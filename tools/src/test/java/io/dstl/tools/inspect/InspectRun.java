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
package io.dstl.tools.inspect;

import io.dstl.tools.DstlCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** The command on an empty Flink home, and what it has printed. */
final class InspectRun {
    final int exitCode;
    final String out;
    final String err;

    private InspectRun(int exitCode, String out, String err) {
        this.exitCode = exitCode;
        this.out = out;
        this.err = err;
    }

    static InspectRun of(Path root, LongSupplier now, String... options) throws IOException {
        Path home = root.resolve("home");
        Files.write(
                Files.createDirectories(home.resolve("conf")).resolve("flink-conf.yaml"),
                List.of());
        List<String> arguments = new ArrayList<>(List.of("inspect"));
        arguments.addAll(List.of(options));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                DstlCommand.commandLine(Optional.of(home), now)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(arguments.toArray(new String[0]));
        return new InspectRun(exitCode, out.toString(), err.toString());
    }

    JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out);
    }
}
