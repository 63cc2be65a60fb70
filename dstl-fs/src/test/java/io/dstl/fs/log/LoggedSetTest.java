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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.testing.Changes;
import java.util.Optional;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoggedSetTest {

    private LoggedSet set;

    @BeforeEach
    void sealed() throws Exception {
        Changes changes = new Changes();
        changes.add(1, new byte[] {1});
        set = new LoggedSet(SequenceNumber.of(3), changes.seal(), null);
    }

    @Test
    void isDisposableWhenNobodyNeedsItAndNoUploadRuns() {
        set.need();
        set.uploading(Epoch.first());
        set.dismiss();
        set.dismiss();
        assertThat(set.isDisposable()).isFalse();

        set.storedAt(
                new SegmentLocation(new FileStateHandle(new Path("a"), 1), 0), Optional.empty());
        assertThat(set.isDisposable()).isTrue();
    }

    @Test
    void refusesToSkipAState() {
        assertThatThrownBy(() -> set.sealedAgain(new RuntimeException()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("change set 3");
        assertThatThrownBy(set::location).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesToBeDismissedTooOften() {
        set.dismiss();

        assertThatThrownBy(set::dismiss).isInstanceOf(IllegalStateException.class);
    }
}
