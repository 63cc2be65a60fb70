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
package io.dstl.changelog.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of docs/, with a generated part or with tables that are checked. */
final class DocsPage {

    static final Path ROOT = Path.of("..");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private final Path file;
    private final String text;

    private DocsPage(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    static DocsPage read(String name) throws IOException {
        Path file = ROOT.resolve("docs").resolve(name);
        return new DocsPage(file, Files.readString(file));
    }

    /** What is between two lines, which begin the same comment. */
    String generated(String comment) {
        return text.substring(begin(comment), end(comment));
    }

    void replaceGenerated(String comment, String content) throws IOException {
        Files.writeString(
                file, text.substring(0, begin(comment)) + content + text.substring(end(comment)));
    }

    private int begin(String comment) {
        return text.indexOf('\n', text.indexOf("<!-- " + comment)) + 1;
    }

    private int end(String comment) {
        return text.indexOf("<!-- end of " + comment);
    }

    /** The cells of each row of the table that begins with this column. */
    List<List<String>> table(String firstColumn) {
        List<List<String>> rows = new ArrayList<>();
        boolean inside = false;
        for (String line : text.split("\n")) {
            if (line.startsWith("| " + firstColumn + " |")) {
                inside = true;
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("| --")) {
                rows.add(cells(line));
            }
        }
        return rows;
    }

    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        for (String cell : line.substring(1, line.length() - 1).split("(?<!\\\\)\\|")) {
            cells.add(cell.trim());
        }
        return cells;
    }

    /** What is in code type. */
    static List<String> code(String cell) {
        List<String> code = new ArrayList<>();
        Matcher matcher = CODE.matcher(cell);
        while (matcher.find()) {
            code.add(matcher.group(1));
        }
        return code;
    }
}
