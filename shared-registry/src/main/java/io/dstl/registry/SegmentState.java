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
 *                 register
 *                    |
 *                    v      confirmed, or maybe completed
 *                 OWNED ------------------------------------&gt; HANDED_OVER
 *                  |  |                                           |
 *    no reference, |  | still pinned when the job                 | no reference,
 *    no pin        |  | leaves this TaskManager                   | no pin
 *                  v  |                                           v
 *           DELETED   +--------------------------------------&gt; FORGOTTEN
 * </pre>
 */
enum SegmentState {
    /** This TaskManager answers for it, and deletes it when nobody needs it any more. */
    OWNED,

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
                return next != OWNED;
            case HANDED_OVER:
                return next == FORGOTTEN;
            default:
                return false;
        }
    }
}
