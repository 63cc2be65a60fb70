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
package io.dstl.registry;

/**
 * Who answers for a stored segment.
 *
 * <pre>
 *                register
 *                   |
 *                   v       in a handle                 confirmed, or maybe completed
 *                 OWNED ---------------&gt; PINNED ----------------------&gt; HANDED_OVER
 *                   |                     |   |                              |
 *      no reference |     no reference,   |   | the job leaves this          | no reference
 *                   |     and subsumed    |   | TaskManager, or too many     |
 *                   v                     v   v                              v
 *                DELETED &lt;----------------+   +----------------------&gt; FORGOTTEN
 * </pre>
 */
enum SegmentState {
    /** No handle has listed it: this TaskManager deletes it when no log needs it any more. */
    OWNED,

    /**
     * A handle lists it, so a completed checkpoint may, whatever we hear of its outcome: deleted
     * only when all checkpoints that listed it are known to be subsumed.
     */
    PINNED,

    /**
     * The JobManager answers for it, as a checkpoint refers to it; tracked while a log needs it.
     */
    HANDED_OVER,

    /** Nobody needs it: its deletion has been queued. Final. */
    DELETED,

    /** Not tracked any more, and not deleted by us. Final. */
    FORGOTTEN;

    boolean mayBecome(SegmentState next) {
        switch (this) {
            case OWNED:
                return next == PINNED || next == DELETED;
            case PINNED:
                return next == HANDED_OVER || next == DELETED || next == FORGOTTEN;
            case HANDED_OVER:
                return next == FORGOTTEN;
            default:
                return false;
        }
    }
}
