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
package io.dstl.tools.orphans;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** What was an orphan at the first look and is none at the last, just before it is deleted. */
class SparedOrphansTest extends OrphansCommandFixture {

    /** Between the first look at the checkpoints and the deletion anything may complete. */
    @Test
    void aCheckpointRefersToItMeanwhile() throws IOException {
        onceListed(() -> store.checkpoint(OTHER, 8, NOW, store.segment(JOB, "orphan", OLD)));
        assertThat(run("--delete")).isZero();
        assertThat(store.segments(JOB)).contains("orphan");
        assertThat(out.toString())
                .contains("Kept as a checkpoint refers to them by now: 1, in bytes 10.");
    }

    /** It ended, and kept none of its checkpoints. */
    @Test
    void itsJobHasNoCheckpointAnyMore() throws IOException {
        onceListed(() -> Files.delete(store.checkpoints().resolve(JOB).resolve("chk-7/_metadata")));
        assertThat(run("--delete")).isZero();
        assertThat(store.segments(JOB)).contains("orphan");
        assertThat(out.toString())
                .contains("Kept as no checkpoint of their job is found by now: 1, in bytes 10.")
                .doesNotContain("refers to them by now");
    }
}
