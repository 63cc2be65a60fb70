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

    /** What can be restored from; null if the leg has failed. */
    public String path;

    /** The first round that was not sent. */
    public int endRound;

    /** As before, unless records are in flight: the audits cover the rounds before this one. */
    public int auditedRound;

    /** Whose keys the content is of. */
    public Cast cast;

    /** Why the leg has failed, with all causes; null if it has not. */
    public String error;

    /** What the last audits found, by operator and key. */
    public Map<String, String> content = new TreeMap<>();

    public CheckpointFacts facts;

    /** For JSON. */
    LegResult() {}
}
