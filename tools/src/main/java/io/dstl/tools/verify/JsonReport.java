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
package io.dstl.tools.verify;

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.verify.Finding.Depth;
import io.dstl.tools.verify.StoredObject.Need;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;

/**
 * One JSON document: {@code findings} as they are found, then {@code intact}, {@code checkpoints}.
 */
final class JsonReport implements VerifyReport {
    private final PrintWriter out;
    private Optional<JsonGenerator> begun = Optional.empty();

    JsonReport(PrintWriter out) {
        this.out = out;
    }

    private JsonGenerator json() throws IOException {
        if (!begun.isPresent()) {
            JsonGenerator json = new JsonFactory().createGenerator(out);
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeArrayFieldStart("findings");
            begun = Optional.of(json);
        }
        return begun.get();
    }

    @Override
    public void finding(Finding finding) throws IOException {
        JsonGenerator json = json();
        json.writeStartObject();
        json.writeStringField("verdict", finding.verdict().toString());
        json.writeStringField("object", Redacted.of(finding.path()).toString());
        json.writeStringField("problem", finding.problem());
        json.writeStringField("remedy", finding.remedy());
        json.writeArrayFieldStart("neededBy");
        for (Need need : finding.needs()) {
            need(json, need);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void need(JsonGenerator json, Need need) throws IOException {
        json.writeStartObject();
        json.writeStringField("checkpoint", Redacted.of(need.checkpoint.path()).toString());
        json.writeStringField("operatorId", need.owner.operatorId());
        if (need.owner.operatorUid().isPresent()) {
            json.writeStringField("operatorUid", need.owner.operatorUid().get());
        }
        if (need.owner.operatorName().isPresent()) {
            json.writeStringField("operatorName", need.owner.operatorName().get());
        }
        if (need.owner.subtask().isPresent()) {
            json.writeNumberField("subtask", need.owner.subtask().getAsInt());
        }
        json.writeNumberField("parallelism", need.owner.parallelism());
        json.writeStringField("part", need.part.toString());
        json.writeEndObject();
    }

    @Override
    public void sums(Collection<VerifiedCheckpoint> checkpoints, Sums sums) throws IOException {
        JsonGenerator json = json();
        json.writeEndArray();
        json.writeObjectFieldStart("intact");
        for (Depth depth : Depth.values()) {
            tally(json, depth.name().toLowerCase(Locale.ROOT), sums.intact(depth));
        }
        tally(json, "inMetadata", sums.inMetadata());
        json.writeEndObject();
        json.writeArrayFieldStart("checkpoints");
        for (VerifiedCheckpoint checkpoint : checkpoints) {
            checkpoint(json, checkpoint);
        }
        json.writeEndArray();
        json.writeEndObject();
        json.close();
        out.println();
        out.flush();
    }

    private static void tally(JsonGenerator json, String name, Tally tally) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("objects", tally.count());
        json.writeNumberField("bytes", tally.bytes());
        json.writeEndObject();
    }

    private static void checkpoint(JsonGenerator json, VerifiedCheckpoint checkpoint)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("metadata", Redacted.of(checkpoint.path()).toString());
        json.writeStringField("verdict", checkpoint.verdict().toString());
        if (checkpoint.verdict() == Verdict.GONE) {
            json.writeStringField("remedy", Verdict.GONE.remedy());
        }
        json.writeNumberField("missing", checkpoint.count(Verdict.MISSING));
        json.writeNumberField("damaged", checkpoint.count(Verdict.DAMAGED));
        json.writeNumberField("unreadable", checkpoint.count(Verdict.UNREADABLE));
        json.writeNumberField("unchecked", checkpoint.count(Verdict.UNCHECKED));
        json.writeEndObject();
    }
}
