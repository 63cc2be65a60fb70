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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** A table of text: columns as wide as they need to be, numbers to the right. For one thread. */
final class TextTable {
    private final List<String[]> rows = new ArrayList<>();
    private final int leftAligned;

    /**
     * @param leftAligned how many columns, from the first on, are not numbers
     */
    TextTable(int leftAligned, String... headers) {
        this.leftAligned = leftAligned;
        rows.add(headers);
    }

    void row(String... cells) {
        rows.add(Arrays.stream(cells).map(OneLine::of).toArray(String[]::new));
    }

    void print(PrintWriter out) {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                char[] padding = new char[widths[i] - row[i].length()];
                Arrays.fill(padding, ' ');
                line.append(i == 0 ? "" : "  ");
                line.append(i < leftAligned ? row[i] : String.valueOf(padding));
                line.append(i < leftAligned ? String.valueOf(padding) : row[i]);
            }
            out.println(line.toString().replaceAll(" +$", ""));
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
}
