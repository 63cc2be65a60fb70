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
package io.dstl.store;

/** Follows one {@link SegmentStore#put}. Called by the threads that run the put; must not block. */
public interface PutListener {

    PutListener NONE = new PutListener() {};

    /**
     * The put left the queue and begins; from here on the store's own latency counts. Called at
     * most once, before the put's future succeeds; not at all for a put that never begins.
     */
    default void begun() {}

    /**
     * The transport has taken bytes of the put. Called between {@link #begun()} and {@link
     * #ended()}, often: at least once for each 64 KiB. A transport may take bytes ahead of sending
     * them, so some time may pass from the last call to the end.
     */
    default void progressed() {}

    /**
     * The put has ended: no request for it is under way any more, and none will be. Called exactly
     * once, whatever becomes of the put, after {@link #begun()} if that is called at all. Before or
     * after the future is done; long after, if the put was given up and its request could not be
     * aborted.
     */
    default void ended() {}
}
