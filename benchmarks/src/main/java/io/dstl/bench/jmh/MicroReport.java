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

import io.dstl.bench.report.BarChart;
import io.dstl.bench.report.BarPage;
import io.dstl.bench.report.Column;
import io.dstl.bench.report.Comparison;
import io.dstl.bench.report.Ratio;
import io.dstl.bench.report.ResultFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures of the micro benchmark so far. */
public final class MicroReport {
    private final Map<String, String> conditions;
    private final Map<String, Map<String, String>> loaded;
    private final Comparison comparison;
    private final List<BarChart> charts;

    /**
     * @param loaded which classes did the work, by variant and role
     */
    MicroReport(
            Map<String, String> conditions,
            Map<String, Map<String, String>> loaded,
            List<Column> columns,
            List<BarChart> charts) {
        this.conditions = conditions;
        this.loaded = new LinkedHashMap<>(loaded);
        this.comparison =
                new Comparison(
                        conditions,
                        columns,
                        new Ratio("stock", "off"),
                        new Ratio("dstl", "off"),
                        new Ratio("dstl", "stock"));
        this.charts = new ArrayList<>(charts);
    }

    /** For a page of the documentation. */
    public String markdown() {
        return comparison.markdown();
    }

    /** The time of an update, for README. */
    public String brief() {
        return comparison.brief(MicroQuantity.NANOS::isOf);
    }

    public void write(ResultFiles files) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>(comparison.json());
        json.put("loaded", loaded);
        files.write(markdown(), json);
        Files.writeString(
                files.page(),
                new BarPage("Micro benchmark: off, stock and dstl", conditions, charts).html(),
                StandardCharsets.UTF_8);
    }
}
