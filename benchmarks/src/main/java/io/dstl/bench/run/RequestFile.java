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
package io.dstl.bench.run;

import io.dstl.harness.proxy.RequestJournal;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** All requests and checkpoints of a run in the order in which they began, one a line. */
final class RequestFile {
    private static final String HEAD = "at_ms,what,took_ms,bytes,status,target";

    private RequestFile() {}

    static void write(RequestJournal journal, List<CompletedCheckpoint> checkpoints, Path file)
            throws IOException {
        List<Line> lines = new ArrayList<>();
        for (ServedRequest request :
                journal.during(Span.between(Instant.EPOCH, Instant.ofEpochSecond(1L << 40)))) {
            lines.add(new Line(request));
        }
        for (CompletedCheckpoint checkpoint : checkpoints) {
            lines.add(new Line(checkpoint));
        }
        lines.sort(Comparator.comparing(line -> line.at));
        List<String> text = new ArrayList<>();
        text.add(HEAD);
        lines.forEach(line -> text.add(line.text));
        Files.write(file, text, StandardCharsets.UTF_8);
    }

    private static final class Line {
        private final Instant at;
        private final String text;

        Line(ServedRequest request) {
            at = request.arrived();
            text =
                    String.format(
                            Locale.ROOT,
                            "%d,%s,%d,%d,%d,%s",
                            at.toEpochMilli(),
                            request.kind(),
                            request.took().toMillis(),
                            request.bytes(),
                            request.status(),
                            request.target().replace(",", "%2C"));
        }

        Line(CompletedCheckpoint checkpoint) {
            at = checkpoint.triggered();
            text =
                    String.format(
                            Locale.ROOT,
                            "%d,checkpoint,%d,%d,,%d",
                            at.toEpochMilli(),
                            checkpoint.duration().toMillis(),
                            checkpoint.checkpointedSize(),
                            checkpoint.id());
        }
    }
}
