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
package io.dstl.harness.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of a README that a run fills in; what is around it is left as it is. */
public final class ReadmeTable {
    static final String BEGIN = "<!-- table: made by e2e/run.sh --readme -->\n";
    static final String END = "<!-- end of table -->\n";

    private ReadmeTable() {}

    /** Puts {@code table} in place of what {@code readme} has between its two marks. */
    public static void replace(Path readme, String table) throws IOException {
        replace(readme, BEGIN, table);
    }

    /** Puts {@code table} between the line {@code mark} of that page and the next end mark. */
    public static void replace(Path page, String mark, String table) throws IOException {
        String text = Files.readString(page, StandardCharsets.UTF_8);
        int begin = text.indexOf(mark);
        int end = text.indexOf(END, Math.max(0, begin));
        if (begin < 0 || end < begin) {
            throw new IOException(
                    page
                            + " has no place for the table: give it the lines "
                            + mark.trim()
                            + " and "
                            + END.trim());
        }
        String filled = text.substring(0, begin + mark.length()) + table + text.substring(end);
        Files.writeString(page, filled, StandardCharsets.UTF_8);
    }
}
