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
package io.dstl.fs.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SilentKeysTest {

    private final Configuration config = new Configuration();

    @ParameterizedTest
    @CsvSource({
        "dstl.dfs.base-pth, dstl.dfs.base-path",
        "dstl.dfs.upload.tiemout, dstl.dfs.upload.timeout",
        "dstl.dfs.upload.max-attemps, dstl.dfs.upload.max-attempts",
        "state.changelog.dstl.dfs.batch.persist_delay,"
                + " state.changelog.dstl.dfs.batch.persist-delay",
        "state.changelog.dstl.dfs.compression, state.changelog.dstl.dfs.compression.enabled",
    })
    void namesTheNearestKnownKey(String typo, String meant) {
        config.setString(typo, "17");

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith(typo + " is 17: there is no such key")
                .contains("Did you mean " + meant + "?");
    }

    @Test
    void namesNoneThatIsFarOff() {
        config.setString("dstl.dfs.quite-another-thing-altogether", "17");

        assertThat(warnings()).singleElement().asString().doesNotContain("Did you mean");
    }

    @Test
    void hidesTheValueOfASensitiveKey() {
        config.setString("dstl.dfs.secret-key", "MARKED");

        assertThat(warnings()).singleElement().asString().contains("is ******:");
    }

    @Test
    void warnsOfAnOlderNameBesideTheNewOne() {
        config.setString("dstl.dfs.upload.timeout", "2 s");
        config.setString("state.changelog.dstl.dfs.upload.timeout", "3 s");

        assertThat(warnings())
                .containsExactly(
                        "dstl.dfs.upload.timeout is 2 s: it has no effect, as it is an older name"
                                + " of state.changelog.dstl.dfs.upload.timeout, which is 3 s. Leave"
                                + " out one of them.");
    }

    @Test
    void isContentWithBothNamesOfOneValue() {
        config.setString("dstl.dfs.upload.timeout", "3000 ms");
        config.setString("state.changelog.dstl.dfs.upload.timeout", "3 s");
        config.setString("another.key", "17");

        assertThat(warnings()).isEmpty();
    }

    private List<String> warnings() {
        OptionReport report = new OptionReport();
        new SilentKeys(config, report)
                .check(
                        DstlOptions.ALL,
                        Arrays.asList(DstlOptions.PREFIX, DstlOptions.DEPRECATED_PREFIX));
        return report.warnings();
    }
}
