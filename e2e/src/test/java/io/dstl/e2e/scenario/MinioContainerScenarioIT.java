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

import io.dstl.harness.store.S3Store;
import io.dstl.testkit.Matrix.MatrixCase;
import io.dstl.testkit.RequiresDocker;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole run against a real MinIO. {@link EmbeddedStoreScenarioIT} stands for it, and CI runs
 * the command itself on a MinIO.
 */
@ExtendWith({RequiresDocker.class, MatrixCase.class})
class MinioContainerScenarioIT {

    @Test
    void everyRowIsRight(@TempDir Path directory) throws Exception {
        try (ScenarioRun run = ScenarioRun.offAndOn(S3Store.Kind.MINIO_CONTAINER, directory)) {
            assertThat(run.outcome().comparison().shown()).isEmpty();
            assertThat(run.outcome().comparison().summary())
                    .isEqualTo("12,000 of 12,000 flights, 0 differences");
            assertThat(run.outcome().allRight()).isTrue();
        }
    }
}
