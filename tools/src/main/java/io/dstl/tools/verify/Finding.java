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

import io.dstl.tools.verify.StoredObject.Need;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.Path;

/** What is true of one object. Immutable. */
final class Finding {
    private final Path path;
    private final Verdict verdict;
    private final String problem;
    private final String remedy;
    private final Optional<Depth> depth;
    private final List<Need> needs;

    private Finding(
            Path path,
            Verdict verdict,
            String problem,
            String remedy,
            Optional<Depth> depth,
            List<Need> needs) {
        this.path = path;
        this.verdict = verdict;
        this.problem = problem;
        this.remedy = remedy;
        this.depth = depth;
        this.needs = needs;
    }

    static Finding intact(StoredObject object, Depth depth) {
        return new Finding(
                object.path(), Verdict.INTACT, "", "", Optional.of(depth), object.needs());
    }

    /**
     * @param problem on one line, without secrets
     */
    static Finding of(StoredObject object, Verdict verdict, String problem) {
        return of(object, verdict, problem, verdict.remedy());
    }

    /**
     * @param problem on one line, without secrets
     */
    static Finding of(StoredObject object, Verdict verdict, String problem, String remedy) {
        return new Finding(
                object.path(), verdict, problem, remedy, Optional.empty(), object.needs());
    }

    /** Of the metadata of a checkpoint, which nobody needs but the checkpoint itself. */
    static Finding ofMetadata(Path path, Verdict verdict, String problem, String remedy) {
        return new Finding(
                path, verdict, problem, remedy, Optional.empty(), Collections.emptyList());
    }

    Path path() {
        return path;
    }

    Verdict verdict() {
        return verdict;
    }

    /** Empty of what is intact. */
    String problem() {
        return problem;
    }

    /** What an operator may do about it; empty of what is intact. */
    String remedy() {
        return remedy;
    }

    /** Of what is intact, but metadata. */
    Optional<Depth> depth() {
        return depth;
    }

    /** Empty of metadata. */
    List<Need> needs() {
        return needs;
    }

    /** How far it is known that an object is intact. */
    enum Depth {
        CHECKSUMS("Segments intact, by their checksums"),
        STRUCTURE("Segments intact, by their structure, as they have no checksums"),
        SIZE("State files that can be read, and have the right size");

        private final String text;

        Depth(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
