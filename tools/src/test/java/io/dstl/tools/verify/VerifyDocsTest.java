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
package io.dstl.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.docs.ShownOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The output in docs/operations.md is what the command prints: {@code mvn test -pl tools -am
 * -Dtest=VerifyDocsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true} writes it anew.
 */
class VerifyDocsTest extends VerifyFixture {
    @Test
    void theDocsShowWhatIsPrinted() throws IOException {
        Path log = first.path().getParent();
        TestSegment missing = TestSegment.write(log, 4, true);
        Path lacking = checkpointOf(9, third, missing);
        Path flinks = checkpointOf(10, TestSegment.writeAsFlink(log, 5));
        flip(first.path(), 8 * (1 + first.offset(1) + 20));
        Files.delete(missing.path());
        assertThat(run(older, newer, lacking, flinks)).isEqualTo(1);
        new ShownOutput("verify", VerifyDocsTest.class).assertShows(printed());
    }

    private Path checkpointOf(long id, TestSegment... log) throws IOException {
        return metadata(id, logOf(LOWER, 0, log), logOf(UPPER, 1, log));
    }
}
