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
package io.dstl.changelog.keyed;

/** What one checkpoint of one keyed backend refers to, and what it added to that; in bytes. */
final class CheckpointSize {

    private final long materialized;
    private final long newlyMaterialized;
    private final long log;
    private final long newLog;

    CheckpointSize(long materialized, long newlyMaterialized, long log, long newLog) {
        this.materialized = materialized;
        this.newlyMaterialized = newlyMaterialized;
        this.log = log;
        this.newLog = newLog;
    }

    long materialized() {
        return materialized;
    }

    long newlyMaterialized() {
        return newlyMaterialized;
    }

    long log() {
        return log;
    }

    long newLog() {
        return newLog;
    }

    /** What this checkpoint had to write. */
    long added() {
        return newlyMaterialized + newLog;
    }
}
