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
package io.dstl.tools.orphans;

import io.dstl.tools.DstlCommand;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A store with the checkpoint of one job and an orphan, and the command on it. */
abstract class OrphansCommandFixture {
    static final long HOUR = Duration.ofHours(1).toMillis();
    static final long NOW = 500_000 * HOUR;
    static final long OLD = NOW - 48 * HOUR;
    static final String JOB = Store.job(1);
    static final String OTHER = Store.job(2);

    @TempDir Path root;

    final List<String> configuration = new ArrayList<>();
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    Store store;

    @BeforeEach
    void aJobWithACheckpointAndAnOrphan() throws IOException {
        store = new Store(root);
        store.checkpoint(
                JOB,
                7,
                NOW,
                store.segment(JOB, "referred-1", OLD),
                store.segment(JOB, "referred-2", OLD));
        store.segment(JOB, "orphan", OLD);
        store.segment(JOB, "young", NOW - HOUR);
        store.segment(OTHER, "of-unknown-job", OLD);
        configuration.add("state.changelog.dstl.dfs.base-path: " + store.log().toUri());
        configuration.add("execution.checkpointing.dir: " + store.checkpoints().toUri());
    }

    private Runnable listed = () -> {};

    /** In ms since the epoch; stands still unless a test lets it run. */
    LongSupplier clock = () -> NOW;

    private Runnable read = () -> {};

    /** Something to happen when the first orphan has been listed, as text. */
    void onceListed(Happening happening) {
        listed =
                () -> {
                    listed = () -> {};
                    happen(happening);
                };
    }

    /** Something to happen when the checkpoints have been read for the first time. */
    void onceRead(Happening happening) {
        read =
                () -> {
                    read = () -> {};
                    happen(happening);
                };
    }

    private static void happen(Happening happening) {
        try {
            happening.happen();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    interface Happening {
        void happen() throws IOException;
    }

    int run(String... options) throws IOException {
        Path conf = Files.createDirectories(root.resolve("home/conf"));
        Files.write(conf.resolve("flink-conf.yaml"), configuration);
        List<String> arguments = new ArrayList<>(List.of("orphans"));
        arguments.addAll(List.of(options));
        return DstlCommand.commandLine(Optional.of(root.resolve("home")), clock)
                .setOut(new PrintWriter(watched(out)))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(new String[0]));
    }

    Writer watched(Writer writer) {
        return new FilterWriter(writer) {
            @Override
            public void write(String text, int offset, int length) throws IOException {
                super.write(text, offset, length);
                if (text.startsWith("orphan ")) {
                    listed.run();
                }
            }

            @Override
            public void flush() throws IOException {
                super.flush();
                read.run();
            }
        };
    }
}
