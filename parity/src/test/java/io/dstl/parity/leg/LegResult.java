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
package io.dstl.parity.leg;

import io.dstl.parity.model.Cast;
import java.util.Map;
import java.util.TreeMap;

/** What a leg has come to. Sent by the process as JSON. */
public final class LegResult {

    String path;
    int endRound;
    int auditedRound;
    Cast cast;
    String error;
    Map<String, String> content = new TreeMap<>();
    CheckpointFacts facts;

    /** For JSON. */
    LegResult() {}

    /** What can be restored from; null if the leg has failed. */
    public String path() {
        return path;
    }

    /** The first round that was not sent. */
    public int endRound() {
        return endRound;
    }

    /** As before, unless records are in flight: the audits cover the rounds before this one. */
    public int auditedRound() {
        return auditedRound;
    }

    /** Whose keys the content is of. */
    public Cast cast() {
        return cast;
    }

    /** Why the leg has failed, with all causes; null if it has not. */
    public String error() {
        return error;
    }

    /** What the last audits found, by operator and key. */
    public Map<String, String> content() {
        return content;
    }

    public CheckpointFacts facts() {
        return facts;
    }
}
