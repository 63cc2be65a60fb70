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
package io.dstl.harness.rest;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;

/** Answers to {@code /jobs/:id/checkpoints}, in the shape that a JobManager gives them. */
public final class Statistics {
    private Statistics() {}

    public static CheckpointStatistics ofThreeCheckpoints() throws IOException {
        try (InputStream json = Statistics.class.getResourceAsStream("checkpoints.json")) {
            return CheckpointStatistics.of(new ObjectMapper().readTree(json));
        }
    }

    public static CheckpointStatistics beforeTheFirst() throws IOException {
        try (InputStream json = Statistics.class.getResourceAsStream("no-checkpoint.json")) {
            return CheckpointStatistics.of(new ObjectMapper().readTree(json));
        }
    }
}
