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
package io.dstl.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The picture has what Prometheus answers to the queries of the dashboard in docs/. */
class DashboardPictureTest {
    private static final Path DASHBOARD = Path.of("../docs/dashboards/dstl-dashboard.json");
    private static final Instant START = Instant.ofEpochSecond(1_000);
    private static final Instant END = START.plusSeconds(120);

    @Test
    void drawsEachPanelWithALineForEachQuery() throws Exception {
        Dashboard dashboard = Dashboard.read(DASHBOARD);
        List<String> asked = new ArrayList<>();

        Document picture =
                draw(
                        dashboard,
                        (expression, start, end, step) -> {
                            asked.add(expression);
                            return List.of(answer("[[1000,\"0\"],[1001,\"2000\"],[1090,\"5\"]]"));
                        });

        long queries = dashboard.panels().stream().mapToLong(panel -> panel.targets.size()).sum();
        assertThat(asked).hasSize((int) queries).noneMatch(one -> one.contains("$"));
        String text = picture.getDocumentElement().getTextContent();
        dashboard.panels().forEach(panel -> assertThat(text).contains(panel.title));
        assertThat(text)
                .contains("of a test")
                .contains("taskmanager <1>")
                .doesNotContain("No data");
        // A line, with a gap where there was no value for long.
        assertThat(strokes(picture))
                .filteredOn(path -> path.matches("M\\d+ \\d+L\\d+ \\d+M.*"))
                .hasSize((int) queries);
    }

    @Test
    void saysWhereThereIsNoData() throws Exception {
        Document picture =
                draw(Dashboard.read(DASHBOARD), (expression, start, end, step) -> List.of());

        assertThat(picture.getDocumentElement().getTextContent()).contains("No data");
        assertThat(strokes(picture)).isEmpty();
    }

    @Test
    void leavesOutWhatIsNoNumber() throws Exception {
        assertThat(answer("[[1,\"NaN\"],[2,\"+Inf\"],[3,\"4\"]]").values()).containsOnlyKeys(3.0);
    }

    @Test
    void namesThePathWithoutAPrometheus() {
        assertThatThrownBy(() -> PrometheusServer.binary("/no/such/folder"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/no/such/folder")
                .hasMessageContaining("apt-get install prometheus");
    }

    private static Document draw(Dashboard dashboard, DashboardPicture.Source source)
            throws Exception {
        String svg = new DashboardPicture(dashboard, source).svg(START, END, "of a test");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)));
    }

    private static List<String> strokes(Document picture) {
        List<String> strokes = new ArrayList<>();
        for (int i = 0; i < picture.getElementsByTagName("path").getLength(); i++) {
            var attributes = picture.getElementsByTagName("path").item(i).getAttributes();
            if (attributes.getNamedItem("stroke") != null) {
                strokes.add(attributes.getNamedItem("d").getNodeValue());
            }
        }
        return strokes;
    }

    private static Series answer(String values) throws IOException {
        return Series.of(
                new ObjectMapper()
                        .readTree(
                                "{\"metric\":{\"tm_id\":\"taskmanager <1>\"},\"values\":"
                                        + values
                                        + "}"));
    }
}
