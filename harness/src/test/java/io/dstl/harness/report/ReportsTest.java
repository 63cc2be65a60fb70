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

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.harness.report.RunReport.CheckpointRun;
import io.dstl.harness.report.RunReport.Event;
import io.dstl.harness.report.RunReport.Timeline;
import io.dstl.harness.rest.CheckpointStatistics;
import io.dstl.harness.rest.Statistics;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class ReportsTest {
    @TempDir Path directory;

    private RunReport report;

    @BeforeEach
    void gather() throws IOException {
        CheckpointStatistics seen = Statistics.ofThreeCheckpoints();
        Event kill = new Event(seen.history.get(1).triggered, "SIGKILL <of one>");
        report =
                new RunReport(
                        "half <the> time",
                        Map.of("store", "a & b"),
                        List.of(
                                new CheckpointRun("off", seen),
                                new CheckpointRun("on", Statistics.beforeTheFirst())),
                        List.of(
                                new Timeline("changelog off", seen.history, List.of(kill)),
                                new Timeline("changelog on", List.of(), List.of())),
                        List.of("3 of 3 flights"));
    }

    @Test
    void theTableHasEachPercentileOfEachFigureOfEachRun() {
        assertThat(new PercentileTable(report.runs()).text().lines())
                .containsExactly(
                        "                                       off  on",
                        "Checkpoints completed                    3   0",
                        "End to End Duration          p50    120 ms   –",
                        "                             p90    1.50 s   –",
                        "                             p99    1.50 s   –",
                        "                           p99.9    1.50 s   –",
                        "Checkpointed Data Size       p50   40.0 KB   –",
                        "                             p90  793.3 KB   –",
                        "                             p99  793.3 KB   –",
                        "                           p99.9  793.3 KB   –",
                        "Full Checkpoint Data Size    p50   1.91 MB   –",
                        "                             p90   2.68 MB   –",
                        "                             p99   2.68 MB   –",
                        "                           p99.9   2.68 MB   –");
    }

    @Test
    void theMarkdownTableHasTheConditionsUnderIt() {
        assertThat(report.markdown().lines())
                .startsWith(
                        "half <the> time",
                        "",
                        "|  |  | off | on |",
                        "|---|---|--:|--:|",
                        "| Checkpoints completed |  | 3 | 0 |",
                        "| End to End Duration | p50 | 120 ms | – |",
                        "|  | p90 | 1.50 s | – |")
                .endsWith("", "3 of 3 flights.  ", "store: a & b");
    }

    @Test
    void jsonHasTheSameInMillisecondsAndBytes() throws IOException {
        Path file = directory.resolve("report.json");
        JsonReport.write(report, file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        JsonNode off = json.at("/runs/0");
        assertThat(off.at("/durationMillis/p99.9").doubleValue()).isEqualTo(1500);
        assertThat(off.at("/checkpointedBytes/p50").doubleValue()).isEqualTo(40960);
        assertThat(json.at("/runs/1/fullBytes/p50").isNull()).isTrue();
        assertThat(json.at("/timelines/0/checkpoints/2/id").longValue()).isEqualTo(7);
        assertThat(json.at("/timelines/0/checkpoints/2/fullBytes").longValue()).isEqualTo(2812298);
        assertThat(json.at("/timelines/0/events/0/what").textValue()).isEqualTo("SIGKILL <of one>");
    }

    @Test
    void thePageLoadsNothing() throws IOException {
        assertThat(page())
                .contains("<svg")
                .contains("<h1>half &lt;the&gt; time</h1>")
                .contains("a &amp; b")
                .contains("SIGKILL &lt;of one&gt;")
                .contains("<td>120 ms</td>")
                .doesNotContain("<script")
                .doesNotContain("src=")
                .doesNotContain("href=")
                .doesNotContain("url(")
                .doesNotContain("@import")
                .doesNotContain("<!--");
    }

    @Test
    void eachFigureIsPlottedWithEachCheckpoint() throws Exception {
        String page = page();
        for (Figure figure : Figure.values()) {
            assertThat(page).contains("<h2>" + figure.title() + "</h2>");
            Document plot = parse(new Plot(figure, report.timelines()).svg());
            assertThat(plot.getElementsByTagName("circle").getLength()).isEqualTo(3);
            assertThat(plot.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        }
    }

    @Test
    void theAxesHaveRoundFigures() throws Exception {
        assertThat(axis(Figure.DURATION)).containsExactly("10 ms", "100 ms", "1 s", "10 s");
        assertThat(axis(Figure.FULL_SIZE))
                .containsExactly("1 KB", "10 KB", "100 KB", "1 MB", "10 MB");
        assertThat(axis(Figure.CHECKPOINTED_SIZE)).containsExactly("10 KB", "100 KB", "1 MB");
    }

    private List<String> axis(Figure figure) throws Exception {
        NodeList texts =
                parse(new Plot(figure, report.timelines()).svg()).getElementsByTagName("text");
        return IntStream.range(0, texts.getLength())
                .mapToObj(texts::item)
                .filter(
                        text ->
                                text.getAttributes()
                                        .getNamedItem("class")
                                        .getNodeValue()
                                        .equals("value"))
                .map(Node::getTextContent)
                .collect(Collectors.toList());
    }

    @Test
    void barsOfTextAreAsLongAsTheirValues() {
        assertThat(new PercentileTable(report.runs()).chart(Figure.DURATION).lines())
                .containsExactly(
                        "End to End Duration",
                        "  p50    off  #### 120 ms",
                        "  p90    off  " + "#".repeat(48) + " 1.50 s",
                        "  p99    off  " + "#".repeat(48) + " 1.50 s",
                        "  p99.9  off  " + "#".repeat(48) + " 1.50 s");
    }

    @Test
    void latencyStandsHigherInThePlotThanItsHalf() throws Exception {
        Document plot = parse(new Plot(Figure.DURATION, report.timelines()).svg());
        double[] height = new double[3];
        for (int i = 0; i < height.length; i++) {
            String y =
                    plot.getElementsByTagName("circle")
                            .item(i)
                            .getAttributes()
                            .getNamedItem("cy")
                            .getTextContent();
            height[i] = -Double.parseDouble(y);
        }
        assertThat(height).as("90, 120 and 1500 ms").isSorted();
        assertThat(height[2] - height[1]).isGreaterThan(height[1] - height[0]);
    }

    private String page() throws IOException {
        Path file = directory.resolve("report.html");
        HtmlReport.write(report, file);
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
