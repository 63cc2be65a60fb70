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

import io.dstl.tools.cli.OneLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A list of a document as a table of text: columns as wide as they need to be, numbers to the
 * right. For one thread.
 */
final class TextTable {
    private final String list;
    private final List<Column> columns = new ArrayList<>();

    /**
     * @param list its name in the document, as given to {@link Rows#put}
     */
    TextTable(String list) {
        this.list = list;
    }

    /** Text, to the left. */
    TextTable name(String header, String field) {
        return column(header, true, row -> text(row.get(field)));
    }

    /** As it is, to the right. */
    TextTable value(String header, String field) {
        return column(header, false, row -> text(row.get(field)));
    }

    TextTable number(String header, String field) {
        return column(header, false, row -> number(row.get(field)));
    }

    TextTable percent(String header, String field) {
        return column(header, false, row -> percent(row.get(field)));
    }

    TextTable age(String header, String field) {
        return column(header, false, row -> age(row.get(field)));
    }

    TextTable column(String header, boolean isLeft, Function<JsonNode, String> cell) {
        columns.add(new Column(header, isLeft, cell));
        return this;
    }

    /** With a blank line ahead, and a line of what is left out of the list, if anything is. */
    void print(JsonNode document, PrintWriter out) {
        List<String[]> rows = new ArrayList<>();
        rows.add(columns.stream().map(column -> column.header).toArray(String[]::new));
        for (JsonNode row : document.get(list)) {
            rows.add(
                    columns.stream()
                            .map(column -> OneLine.of(column.cell.apply(row)))
                            .toArray(String[]::new));
        }
        int[] widths = new int[columns.size()];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        out.println();
        rows.forEach(row -> out.println(line(row, widths)));
        printLeftOut(document, list, out);
    }

    private String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            String padding = " ".repeat(widths[i] - row[i].length());
            line.append(i == 0 ? "" : "  ");
            line.append(columns.get(i).isLeft ? row[i] + padding : padding + row[i]);
        }
        return line.toString().stripTrailing();
    }

    /** One line if the list was cut. */
    static void printLeftOut(JsonNode document, String list, PrintWriter out) {
        JsonNode leftOut = document.get(list + Rows.LEFT_OUT);
        if (leftOut.asLong() > 0) {
            out.println("... and " + number(leftOut) + " more: see --top");
        }
    }

    static String text(JsonNode value) {
        return value.isNull() ? "-" : value.asText();
    }

    static String number(JsonNode value) {
        return String.format(Locale.ROOT, "%,d", value.asLong());
    }

    static String percent(JsonNode share) {
        return share.isNull() ? "-" : String.format(Locale.ROOT, "%.1f%%", 100 * share.asDouble());
    }

    static String age(JsonNode millis) {
        return Ages.text(millis.asLong());
    }

    private static final class Column {
        final String header;
        final boolean isLeft;
        final Function<JsonNode, String> cell;

        Column(String header, boolean isLeft, Function<JsonNode, String> cell) {
            this.header = header;
            this.isLeft = isLeft;
            this.cell = cell;
        }
    }
}
