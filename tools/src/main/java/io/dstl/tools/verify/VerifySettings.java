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

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.core.fs.Path;

/** What is to be verified, and by how many threads. Immutable. */
final class VerifySettings {
    private final Set<Path> checkpoints;
    private final int threads;

    private VerifySettings(Set<Path> checkpoints, int threads) {
        this.checkpoints = checkpoints;
        this.threads = threads;
    }

    /**
     * @param entropy is left out of the paths: metadata are written without it
     * @throws CommandFailure with argument, value and remedy
     */
    static VerifySettings of(List<String> checkpoints, int threads, EntropyMarker entropy)
            throws CommandFailure {
        ParallelWork.checked(threads);
        Set<Path> paths = new LinkedHashSet<>();
        for (String checkpoint : checkpoints) {
            paths.add(entropy.without(path(checkpoint)));
        }
        return new VerifySettings(paths, threads);
    }

    private static Path path(String checkpoint) throws CommandFailure {
        try {
            return new Path(checkpoint.trim());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    "CHECKPOINT is '"
                            + Redacted.text(checkpoint)
                            + "', no URI: write it as in s3://bucket/checkpoints/<job id>/chk-7");
        }
    }

    Set<Path> checkpoints() {
        return checkpoints;
    }

    int threads() {
        return threads;
    }
}
