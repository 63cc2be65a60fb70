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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** How an uploaded jar is to be run. Immutable. */
public final class JobSubmission {
    private final String mainClass;
    private final List<String> arguments;
    private final int parallelism;
    private final Optional<String> restoreFrom;
    private final ClaimMode claimMode;
    private final Optional<JobId> id;

    private JobSubmission(
            String mainClass,
            List<String> arguments,
            int parallelism,
            Optional<String> restoreFrom,
            ClaimMode claimMode,
            Optional<JobId> id) {
        this.mainClass = mainClass;
        this.arguments = List.copyOf(arguments);
        this.parallelism = parallelism;
        this.restoreFrom = restoreFrom;
        this.claimMode = claimMode;
        this.id = id;
    }

    /** A job that starts with no state. */
    public static JobSubmission fresh(String mainClass, List<String> arguments, int parallelism) {
        return new JobSubmission(
                mainClass,
                arguments,
                parallelism,
                Optional.empty(),
                ClaimMode.NO_CLAIM,
                Optional.empty());
    }

    /** The same job, from a retained checkpoint, at that parallelism. */
    public JobSubmission from(String checkpoint, int newParallelism, ClaimMode mode) {
        return new JobSubmission(
                mainClass, arguments, newParallelism, Optional.of(checkpoint), mode, id);
    }

    /** The same job under that id: asked to run a second time, Flink says that it does already. */
    public JobSubmission as(JobId wanted) {
        return new JobSubmission(
                mainClass, arguments, parallelism, restoreFrom, claimMode, Optional.of(wanted));
    }

    /** The body of {@code POST /jars/:id/run}. */
    Map<String, Object> body() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("entryClass", mainClass);
        body.put("programArgsList", new ArrayList<>(arguments));
        body.put("parallelism", parallelism);
        id.ifPresent(wanted -> body.put("jobId", wanted.toString()));
        if (restoreFrom.isPresent()) {
            body.put("savepointPath", restoreFrom.get());
            body.put("claimMode", claimMode.name());
            body.put("allowNonRestoredState", false);
        }
        return body;
    }

    /** Who owns the files of the checkpoint that a job starts from; Flink's own names. */
    public enum ClaimMode {
        /** The files stay the user's; the job writes its first checkpoint in full. */
        NO_CLAIM,
        /** The job owns them from now on and deletes them when it no longer needs them. */
        CLAIM
    }

    /** The name under which the JobManager keeps an uploaded jar. */
    public static final class JarId {
        private final String name;

        public JarId(String name) {
            this.name = Objects.requireNonNull(name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The id of a job, as Flink prints it. */
    public static final class JobId {
        private final String hex;

        public JobId(String hex) {
            if (!hex.matches("[0-9a-f]{32}")) {
                throw new IllegalArgumentException("'" + hex + "' is not a job id: 32 hex digits");
            }
            this.hex = hex;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof JobId && ((JobId) other).hex.equals(hex);
        }

        @Override
        public int hashCode() {
            return Objects.hash(hex);
        }

        @Override
        public String toString() {
            return hex;
        }
    }
}
