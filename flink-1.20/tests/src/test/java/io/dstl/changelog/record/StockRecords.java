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
package io.dstl.changelog.record;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.util.StringUtils;

/**
 * The records that Flink 1.20.5's own changelog backend wrote, in the order it wrote them: one line
 * each, "meta" or the key group, then the bytes in hex. A line that starts with # names the call
 * that made the records below it.
 */
public final class StockRecords {
    private static final String RESOURCE = "/io/dstl/changelog/stock-1.20.5-records.txt";

    private StockRecords() {}

    /** All lines, marks included. */
    public static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        try (InputStream in = StockRecords.class.getResourceAsStream(RESOURCE);
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        }
        return lines;
    }

    /** The METADATA records alone, op included. */
    public static List<byte[]> metadata() throws IOException {
        return lines().stream()
                .filter(line -> line.startsWith("meta "))
                .map(line -> StringUtils.hexStringToByte(line.substring("meta ".length())))
                .collect(Collectors.toList());
    }
}
