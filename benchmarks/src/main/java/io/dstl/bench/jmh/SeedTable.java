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
package io.dstl.bench.jmh;

import io.dstl.bench.jmh.JmhPlan.JmhCase;
import io.dstl.bench.micro.KeyOrder;
import io.dstl.bench.micro.Labelled;
import io.dstl.bench.micro.PayloadKind;
import io.dstl.bench.micro.StateKind;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;

/** A published table of serializers, to be measured again on the way into a changelog. */
public enum SeedTable implements Labelled {
    /** The published figures are of records sent from one task to another, on Flink 1.10. */
    POJO(
            "MyPojo by serializer, operations/ms",
            "Flink blog, 2020-04-15, Serialization Tuning Vol. 1: sent through the network stack of"
                    + " Flink 1.10",
            "%.0f",
            nanos -> 1e6 / nanos) {
        @Override
        void fill() {
            row(PayloadKind.TUPLE, "Tuple", 1158);
            row(PayloadKind.ROW, "Row", 1078);
            row(PayloadKind.PROTOBUF, "Protobuf via Kryo", 821);
            row(PayloadKind.POJO, "POJO", 813);
            row(PayloadKind.AVRO_GENERIC, "Avro generic", 665);
            row(PayloadKind.AVRO_SPECIFIC, "Avro specific", 632);
            row(PayloadKind.THRIFT, "Thrift via Kryo", 548);
            row(PayloadKind.KRYO_REGISTERED, "Kryo, types registered", 294);
            row(PayloadKind.KRYO, "Kryo", 206);
            row(PayloadKind.AVRO_REFLECT, "Avro reflect", 114);
        }
    },
    /** The published figures are of the serializer alone, with what became Flink's since. */
    STRING(
            "Strings of ASCII characters, ns/op",
            "FLINK-14346, pull request 10358: serializeImproved, which is Flink's since 1.10, and"
                    + " serializeJDK; serializeDefault before it took 31.6 and 95.8 ns for 1 and 16"
                    + " characters; 128 were not found published in full",
            "%.1f",
            nanos -> nanos) {
        @Override
        void fill() {
            row(PayloadKind.STRING_1, "StringSerializer, 1", 33.454);
            row(PayloadKind.UTF_1, "writeUTF, 1", 34.721);
            row(PayloadKind.STRING_16, "StringSerializer, 16", 51.806);
            row(PayloadKind.UTF_16, "writeUTF, 16", 50.786);
            row(PayloadKind.STRING_128, "StringSerializer, 128");
            row(PayloadKind.UTF_128, "writeUTF, 128");
        }
    },
    /** The published figures are of lines parsed and written to a file. */
    RECORD(
            "Lines of trades, records/s",
            "I. Downard, bigendiandata.com, 2016-11-15: parsed and written to a file stream, POJO by"
                    + " Java's serialization, JSON by org.json.simple",
            "%.0f",
            nanos -> 1e9 / nanos) {
        @Override
        void fill() {
            row(PayloadKind.LINE_BYTES, "the line, fields cut out when asked for", 523_537);
            row(PayloadKind.LINE_POJO, "a POJO of its fields", 70_735);
            row(PayloadKind.LINE_JSON, "a JSON text of its fields", 28_479);
        }
    };

    private final String title;
    private final String source;
    private final String format;
    private final DoubleUnaryOperator ofNanos;
    private final Map<PayloadKind, Quantity> rows = new LinkedHashMap<>();
    private final Map<PayloadKind, Double> published = new LinkedHashMap<>();

    SeedTable(String title, String source, String format, DoubleUnaryOperator ofNanos) {
        this.title = title;
        this.source = source;
        this.format = format;
        this.ofNanos = ofNanos;
        fill();
    }

    abstract void fill();

    void row(PayloadKind payload, String name, double figure) {
        row(payload, name);
        published.put(payload, figure);
    }

    void row(PayloadKind payload, String name) {
        rows.put(payload, Quantity.of(name, label() + "." + payload.label(), format));
    }

    public static SeedTable of(String label) {
        return Labelled.of(values(), "table", label);
    }

    String title() {
        return title;
    }

    /** Of the published figures. */
    String source() {
        return source;
    }

    /** What is measured: one case a row. */
    List<JmhCase> cases() {
        return rows.keySet().stream()
                .map(payload -> new JmhCase(StateKind.VALUE, payload, KeyOrder.UNIFORM, false))
                .collect(Collectors.toUnmodifiableList());
    }

    List<Quantity> quantities() {
        return List.copyOf(rows.values());
    }

    Finding finding(JmhCase of, double nanos) {
        return Finding.of(rows.get(of.payload()), ofNanos.applyAsDouble(nanos));
    }

    List<Finding> published() {
        return rows.entrySet().stream()
                .map(
                        row ->
                                published.containsKey(row.getKey())
                                        ? Finding.of(row.getValue(), published.get(row.getKey()))
                                        : Finding.none(row.getValue(), "–"))
                .collect(Collectors.toUnmodifiableList());
    }
}
