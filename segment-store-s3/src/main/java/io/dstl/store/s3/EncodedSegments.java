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
package io.dstl.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.SegmentStore.SegmentContent;
import java.io.IOException;
import java.util.IdentityHashMap;

/**
 * The encoded bytes of the segments that are being put: one copy of each, which its overlapping
 * attempts and hedges share.
 *
 * <p>The first put that needs a copy creates it, and it is dropped when the last put with a lease
 * of it has ended. So beside the change sets the heap holds at most the encoded bytes of the
 * segments under way, however many requests of each hang.
 *
 * <p><b>Threading.</b> Any thread. Encoding runs under the lock of its segment only: other threads
 * that need the same segment wait for it.
 */
final class EncodedSegments {

    /** By identity: all attempts of one put get the same content. */
    @GuardedBy("this")
    private final IdentityHashMap<SegmentContent, Segment> underWay = new IdentityHashMap<>();

    private static final class Segment {

        private final SegmentContent content;

        /** Guarded by the outer lock. */
        private int leases;

        @GuardedBy("this")
        private SegmentBody body;

        private Segment(SegmentContent content) {
            this.content = content;
        }

        /** A failure is not kept: the next call encodes anew. */
        private synchronized SegmentBody body() throws IOException {
            if (body == null) {
                body = SegmentBody.encode(content, ObjectBody.MAX_BYTES);
            }
            return body;
        }
    }

    /** One put's share of a copy. Release it once, when no request of the put needs it. */
    final class Lease {

        private final Segment segment;

        private Lease(Segment segment) {
            this.segment = segment;
        }

        /**
         * The same bytes for all leases of a content; encodes them at the first call.
         *
         * @throws IOException of the content, or if it is longer than one request may be
         */
        SegmentBody body() throws IOException {
            return segment.body();
        }

        void release() {
            released(segment);
        }
    }

    /** Encodes nothing yet. */
    synchronized Lease lease(SegmentContent content) {
        Segment segment = underWay.computeIfAbsent(content, Segment::new);
        segment.leases++;
        return new Lease(segment);
    }

    private synchronized void released(Segment segment) {
        segment.leases--;
        if (segment.leases == 0) {
            underWay.remove(segment.content);
        }
    }

    /** Number of contents with at least one put that has not ended. */
    synchronized int underWay() {
        return underWay.size();
    }
}
