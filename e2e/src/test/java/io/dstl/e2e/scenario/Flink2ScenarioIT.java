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
package io.dstl.e2e.scenario;

import io.dstl.testkit.Matrix.MatrixCase;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same on Flink 2. {@link EmbeddedStoreScenarioIT} stands for it. */
@ExtendWith(MatrixCase.class)
class Flink2ScenarioIT extends EmbeddedStoreScenarioIT {

    @Override
    Optional<String> flinkVersion() {
        return Optional.of(System.getProperty("dstl.flink2.version"));
    }
}
