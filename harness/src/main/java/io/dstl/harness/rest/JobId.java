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

import java.util.Objects;

/** The id of a job, as Flink prints it. */
public final class JobId {
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
