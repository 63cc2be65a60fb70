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
package io.dstl.changelog.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.TestInfo;

/** Tests of Flink's bases that are reported as skipped, each with its reason. */
final class LeftOut {

    private LeftOut() {}

    /**
     * To be called before each test.
     *
     * @param base that declares the test
     */
    static void leaveOut(TestInfo current, Class<?> base, String test, String reason) {
        assertThat(Arrays.stream(base.getDeclaredMethods()).map(method -> method.getName()))
                .as("tests of %s", base)
                .contains(test);
        if (current.getTestMethod().orElseThrow().getName().equals(test)) {
            Assumptions.abort(reason);
        }
    }
}
