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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.e2e.scenario.KillsPassage.KillsOutcome;
import io.dstl.harness.store.S3Store;
import io.dstl.testkit.Matrix.MatrixCase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Nobody's files after kills are found by the command, and no other; e2e/run.sh kills more. */
@ExtendWith(MatrixCase.class)
class OrphansScenarioIT {
    private static final int KILLS = 3;
    private static final int RETAINED = 3;

    @TempDir Path directory;

    @Test
    void afterKillsTheBucketHoldsWhatTheRetainedCheckpointsReferTo() throws Exception {
        KillsOutcome left = ScenarioRun.kills(S3Store.Kind.EMBEDDED, directory, KILLS);
        assertThat(left.missing()).isEmpty();
        assertThat(left.leftOver()).isEmpty();
        assertThat(left.orphans()).isPositive();
        assertThat(left.restored()).isEqualTo(RETAINED);
    }
}
