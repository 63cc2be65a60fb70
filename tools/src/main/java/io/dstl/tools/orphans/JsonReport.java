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

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.orphans.OrphanFindings.OfJob;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import org.apache.flink.core.fs.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;

/**
 * One JSON document, written as things are found: the orphans of a log may be more than fit into
 * memory.
 */
final class JsonReport implements OrphanReport {
    private final JsonGenerator json;
    private final PrintWriter out;
    private final Redaction redaction;

    /** Prints nothing yet. */
    JsonReport(PrintWriter out, Redaction redaction) throws IOException {
        this.out = out;
        this.redaction = redaction;
        json = new JsonFactory().createGenerator(out);
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        json.useDefaultPrettyPrinter();
    }

    @Override
    public void checkpoints(RetainedReferences references) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("checkpoints");
        for (Map.Entry<Path, Integer> read : references.readByDirectory().entrySet()) {
            json.writeStartObject();
            json.writeStringField("directory", Redacted.of(read.getKey()).toString());
            json.writeNumberField("read", read.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("segmentsReferredTo", references.segments());
        json.writeArrayFieldStart("findings");
        json.flush();
    }

    @Override
    public void orphan(StoredFile orphan) throws IOException {
        begin("orphan", orphan.path);
        json.writeStringField("writtenAt", Instant.ofEpochMilli(orphan.writtenAt).toString());
        json.writeNumberField("bytes", orphan.bytes);
        json.writeEndObject();
    }

    @Override
    public void link(Path link) throws IOException {
        begin("symbolic link", link);
        json.writeStringField("problem", "left alone, as it is a symbolic link");
        json.writeEndObject();
    }

    @Override
    public void failed(StoredFile orphan, Exception cause) throws IOException {
        begin("not deleted", orphan.path);
        json.writeStringField("problem", redaction.failure((Throwable) cause).toString());
        json.writeEndObject();
    }

    private void begin(String verdict, Path object) throws IOException {
        json.writeStartObject();
        json.writeStringField("verdict", verdict);
        json.writeStringField("object", Redacted.of(object).toString());
    }

    @Override
    public void sums(OrphanFindings findings, boolean deleting, boolean complete)
            throws IOException {
        json.writeEndArray();
        json.writeBooleanField("complete", complete);
        json.writeArrayFieldStart("jobs");
        for (OfJob found : findings.byJob()) {
            job(found);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("unknownClusters");
        for (String cluster : findings.unknownClusters()) {
            json.writeString(cluster);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("otherDirectories");
        for (String cluster : findings.otherDirectories()) {
            json.writeString(cluster);
        }
        json.writeEndArray();
        count("orphans", findings.total(Verdict.ORPHAN));
        if (deleting) {
            count("deleted", findings.deleted());
            count("kept", findings.spared());
            count("notDeleted", findings.failed());
        }
        json.writeEndObject();
        json.close();
        out.println();
        out.flush();
    }

    private void job(OfJob found) throws IOException {
        json.writeStartObject();
        json.writeStringField("job", found.job());
        json.writeStringField("kind", found.isLog() ? "segments" : "state files");
        count("referredTo", found.count(Verdict.REFERENCED));
        count("tooYoung", found.count(Verdict.YOUNG));
        count("jobUnknown", found.count(Verdict.JOB_UNKNOWN));
        count("clusterUnknown", found.count(Verdict.CLUSTER_UNKNOWN));
        count("orphans", found.count(Verdict.ORPHAN));
        json.writeEndObject();
    }

    private void count(String name, Tally files) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("files", files.count());
        json.writeNumberField("bytes", files.bytes());
        json.writeEndObject();
    }
}
