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
package io.dstl.fs.log;

import static io.dstl.fs.testing.LogHarness.START;
import static io.dstl.fs.testing.LogHarness.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.testing.LogHarness;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The last metadata of a change set is written as it is sealed, and read first. */
class BeforeSealTest {
    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final SegmentedChangeLog log = harness.createLog();
    private int metadataBytes = 1;

    @BeforeEach
    void writeMetadata() {
        writeMetadata(log);
    }

    private void writeMetadata(SegmentedChangeLog to) {
        to.beforeSeal(
                () -> {
                    try {
                        to.appendMeta(new byte[metadataBytes]);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private List<String> readAll() throws Exception {
        return harness.read(harness.persistNow(log, START, 1));
    }

    @Test
    void isPartOfThePersistedChangeSet() throws Exception {
        append(log, 1, 10);

        assertThat(readAll()).containsExactly("-1:[0]", "1:[10]");
    }

    @Test
    void isPartOfWhatASequenceNumberSeparates() throws Exception {
        append(log, 1, 10);
        log.nextSequenceNumber();
        append(log, 1, 20);

        assertThat(readAll()).containsExactly("-1:[0]", "1:[10]", "-1:[0]", "1:[20]");
    }

    /** However large it is. */
    @Test
    void isPartOfWhatIsSentAhead() throws Exception {
        metadataBytes = LogHarness.PREEMPTIVE_BYTES;
        log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);

        List<String> all = readAll();

        assertThat(all).hasSize(2);
        assertThat(all.get(0)).startsWith("-1:");
        assertThat(all.get(1)).startsWith("1:");
    }

    /** What makes room may be handed in by this call only. There is room for one and a half. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void waitsForNoRoom() throws Exception {
        LogHarness narrow =
                new LogHarness(
                        store,
                        new ManualTimer(),
                        watch -> new InFlightLimit(1, 250, watch::changed));
        SegmentedChangeLog own = narrow.createLog();
        append(own, 1, 10);
        assertThat(own.persist(START, 1)).isNotDone();
        append(own, 1, 20);
        SegmentedChangeLog other = narrow.createLog();
        append(other, 1, 30);
        assertThat(other.persist(START, 1)).isNotDone();
        assertThat(narrow.inFlight.isFull()).isTrue();

        writeMetadata(own);
        SequenceNumber end = own.nextSequenceNumber();
        assertThat(end).isEqualTo(SequenceNumber.of(2));
    }

    @Test
    void isNotWrittenWhereThereIsNoChange() throws Exception {
        assertThat(readAll()).isEmpty();
        assertThat(store.puts()).isZero();
    }

    @Test
    void sealsNothingIfItFails() throws Exception {
        append(log, 1, 10);
        log.beforeSeal(
                () -> {
                    throw new IllegalStateException("no metadata");
                });
        assertThatThrownBy(log::nextSequenceNumber).hasMessage("no metadata");

        log.beforeSeal(() -> {});
        assertThat(readAll()).containsExactly("1:[10]");
    }
}
