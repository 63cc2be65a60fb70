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

/** What is true of an object that a checkpoint needs. */
enum Verdict {
    INTACT("intact", ""),
    MISSING(
            "missing",
            "put it back, for example from a version that the bucket keeps, or restore another"
                    + " checkpoint"),
    DAMAGED(
            "damaged",
            "put an intact copy in its place, for example from a version that the bucket keeps, or"
                    + " restore another checkpoint"),
    UNREADABLE(
            "unreadable", "see that the store can be reached with these credentials, then repeat"),
    /** Of a checkpoint: the job has deleted it since its metadata were read. */
    GONE(
            "gone",
            "give a newer one; a running job keeps the last execution.checkpointing.num-retained of"
                    + " them"),
    /** The run ended before. */
    UNCHECKED("not checked", "");

    private final String text;
    private final String remedy;

    Verdict(String text, String remedy) {
        this.text = text;
        this.remedy = remedy;
    }

    /** What an operator may do about it. */
    String remedy() {
        return remedy;
    }

    @Override
    public String toString() {
        return text;
    }
}
