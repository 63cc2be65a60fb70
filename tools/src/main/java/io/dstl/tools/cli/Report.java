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
package io.dstl.tools.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a command finds, as lines of text or as one JSON document. Either is written as things are
 * found, as they may be more than fit into memory: what is for the other one is left out. For one
 * thread.
 */
public final class Report {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE);

    private final PrintWriter out;
    private final boolean asJson;
    private Optional<JsonGenerator> begun = Optional.empty();

    /** Prints nothing yet. */
    public Report(PrintWriter out, boolean asJson) {
        this.out = out;
        this.asJson = asJson;
    }

    public static ObjectNode node() {
        return JsonNodeFactory.instance.objectNode();
    }

    public void line(String format, Object... values) {
        if (!asJson) {
            out.println(String.format(Locale.ROOT, format, values));
        }
    }

    /** One of the document's {@code findings}. */
    public void finding(ObjectNode finding) throws IOException {
        if (asJson) {
            json().writeTree(finding);
        }
    }

    /** What comes before the findings; may be left out. */
    public void begin(ObjectNode fields) throws IOException {
        if (asJson) {
            JsonGenerator json = MAPPER.getFactory().createGenerator(out);
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            write(fields, json);
            json.writeArrayFieldStart("findings");
            begun = Optional.of(json);
        }
    }

    /** What comes after all findings. */
    public void end(ObjectNode fields) throws IOException {
        if (asJson) {
            JsonGenerator json = json();
            json.writeEndArray();
            write(fields, json);
            json.writeEndObject();
            json.close();
            out.println();
        }
        out.flush();
    }

    /** Lets the reader see what there is by now. */
    public void flush() throws IOException {
        if (begun.isPresent()) {
            begun.get().flush();
        }
        out.flush();
    }

    private JsonGenerator json() throws IOException {
        if (begun.isEmpty()) {
            begin(node());
        }
        return begun.get();
    }

    private static void write(ObjectNode fields, JsonGenerator json) throws IOException {
        for (Iterator<String> names = fields.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            json.writeFieldName(name);
            json.writeTree(fields.get(name));
        }
    }
}
