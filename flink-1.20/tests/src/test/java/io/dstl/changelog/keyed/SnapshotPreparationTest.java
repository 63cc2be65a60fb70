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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport.Memtables;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnapshotPreparationTest {
    private static final List<String> STATES = List.of("state");

    private boolean stalls = true;
    private long entries;
    private final SnapshotPreparation preparation =
            new SnapshotPreparation(Optional.of(new Fake()), "task");

    /** Where compactions never keep up, the log would only grow. */
    @Test
    void putsASnapshotOffTenTimesInARowAtMost() {
        for (int row = 0; row < 3; row++) {
            for (int i = 0; i < 10; i++) {
                assertThat(preparation.putOff(STATES)).isTrue();
            }
            assertThat(preparation.putOff(STATES)).isFalse();
        }
    }

    @Test
    void aSnapshotThatDoesNotStallEndsTheRow() {
        for (int i = 0; i < 9; i++) {
            assertThat(preparation.putOff(STATES)).isTrue();
        }
        stalls = false;
        assertThat(preparation.putOff(STATES)).isFalse();

        stalls = true;
        for (int i = 0; i < 10; i++) {
            assertThat(preparation.putOff(STATES)).isTrue();
        }
    }

    @Test
    void flushesAgainOnlyWhatIsMuch() {
        assertThat(preparation.flushAhead(STATES, false)).isPresent();
        assertThat(preparation.flushAhead(STATES, true)).isEmpty();

        entries = 2_000;
        assertThat(preparation.flushAhead(STATES, true)).isPresent();
    }

    @Test
    void aDelegateWithoutMemtablesIsNeitherFlushedNorWaitedFor() {
        SnapshotPreparation none = new SnapshotPreparation(Optional.empty(), "task");

        assertThat(none.flushAhead(STATES, false)).isEmpty();
        assertThat(none.putOff(STATES)).isFalse();
    }

    private final class Fake implements Memtables {
        @Override
        public Runnable flush(Collection<String> states) {
            return () -> {};
        }

        @Override
        public long entries(Collection<String> states) {
            return entries;
        }

        @Override
        public boolean wouldStall(Collection<String> states) {
            return stalls;
        }

        @Override
        public void close() {}
    }
}
