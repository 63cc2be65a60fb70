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

/**
 * Notified of puts and their requests, for metrics. Must neither block nor throw.
 *
 * <p><b>Threading.</b> Any thread, several at once.
 */
public interface PutObserver {

    PutObserver NONE = new PutObserver() {};

    /** The source of all puts' latencies. Called once, before any put. */
    default void latencies(PutLatencies latencies) {}

    /** A request that stores a segment has begun. */
    default void requestBegun() {}

    /**
     * A request has stored its segment.
     *
     * @param nanos since it has begun
     */
    default void requestStored(long bytes, long nanos) {}

    /** A request has failed; not called for one that was given up. */
    default void requestFailed() {}

    /**
     * Requests that open or delete segments.
     *
     * @param sent how many
     */
    default void otherRequests(int sent) {}

    /** The store has asked for fewer requests. */
    default void throttled() {}

    /** Another attempt is started, as the previous one has failed or has timed out. */
    default void retried() {}

    /** A second request is sent beside a late one. */
    default void hedgeSent() {}

    /** A hedge was the first to succeed. */
    default void hedgeWon() {}

    /**
     * A put has succeeded.
     *
     * @param winner the attempt that has stored the segment, counted from 1
     * @param started attempts started by then
     */
    default void stored(int winner, int started) {}
}
