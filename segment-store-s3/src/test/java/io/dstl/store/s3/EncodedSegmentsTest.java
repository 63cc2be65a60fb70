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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.SegmentStore.SegmentContent;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EncodedSegmentsTest {

    private final EncodedSegments encoded = new EncodedSegments();
    private final AtomicInteger encodings = new AtomicInteger();

    private final SegmentContent content =
            out -> {
                encodings.incrementAndGet();
                out.write(7);
            };

    @Test
    void leasesOfAContentShareItsBytes() throws Exception {
        EncodedSegments.Lease first = encoded.lease(content);
        EncodedSegments.Lease second = encoded.lease(content);
        assertThat(encodings).hasValue(0);

        assertThat(first.body()).isSameAs(second.body());
        assertThat(encodings).hasValue(1);
    }

    @Test
    void theBytesGoWithTheLastLease() throws Exception {
        EncodedSegments.Lease first = encoded.lease(content);
        EncodedSegments.Lease second = encoded.lease(content);
        SegmentBody bytes = first.body();
        first.release();
        assertThat(encoded.underWay()).isEqualTo(1);
        assertThat(second.body()).isSameAs(bytes);
        second.release();

        assertThat(encoded.underWay()).isZero();
        assertThat(encoded.lease(content).body()).isNotSameAs(bytes);
        assertThat(encodings).hasValue(2);
    }

    @Test
    void otherContentHasOtherBytes() throws Exception {
        SegmentBody bytes = encoded.lease(content).body();

        assertThat(encoded.lease(out -> out.write(8)).body()).isNotSameAs(bytes);
        assertThat(encoded.underWay()).isEqualTo(2);
    }

    @Test
    void aFailureIsNotKept() throws Exception {
        SegmentContent failsOnce =
                out -> {
                    if (encodings.incrementAndGet() == 1) {
                        throw new IOException("once");
                    }
                };
        EncodedSegments.Lease lease = encoded.lease(failsOnce);

        assertThatThrownBy(lease::body).hasMessage("once");
        assertThat(lease.body().contentLength()).isZero();
    }
}
