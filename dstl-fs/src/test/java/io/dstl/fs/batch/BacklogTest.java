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
package io.dstl.fs.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.testing.Changes;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BacklogTest {

    private final Backlog backlog = new Backlog(1, 1000);

    @Test
    void aBatchThatCannotBeTakenKeepsItsPlace() throws Exception {
        Batch first = with(new WithoutMemoryOnce());
        Batch second = with(new Batch(Epoch.first()));
        fill();
        assertThat(backlog.takesTurn(first)).isFalse();
        assertThat(backlog.takesTurn(second)).isFalse();
        backlog.ended(Optional.empty());

        assertThatThrownBy(backlog::next).isInstanceOf(OutOfMemoryError.class);
        assertThat(backlog.size()).isEqualTo(2);

        Optional<Batch> next = backlog.next();
        assertThat(next).hasValueSatisfying(batch -> assertThat(batch.size()).isEqualTo(2));
        assertThat(backlog.next()).as("there was room for one").isEmpty();
    }

    private void fill() throws IOException {
        for (int i = 0; i < Backlog.MOST; i++) {
            assertThat(backlog.takesTurn(with(new Batch(Epoch.first())))).isTrue();
        }
    }

    private static Batch with(Batch batch) throws IOException {
        batch.add(submission());
        return batch;
    }

    private static Submission submission() throws IOException {
        Changes changes = new Changes();
        changes.add(1, new byte[1]);
        return new Submission(changes.seal(), 17) {
            @Override
            protected Epoch epoch() {
                return Epoch.first();
            }

            @Override
            protected boolean isWanted() {
                return true;
            }

            @Override
            protected void stored(SegmentLocation location) {
                throw new AssertionError("nothing is stored here");
            }

            @Override
            protected void failed(Throwable cause) {
                throw new AssertionError(cause);
            }
        };
    }

    /** There is no memory when the next batch is added for the first time. */
    private static final class WithoutMemoryOnce extends Batch {

        private boolean thrown;

        WithoutMemoryOnce() {
            super(Epoch.first());
        }

        @Override
        void addAll(Batch more) {
            if (!thrown) {
                thrown = true;
                throw new OutOfMemoryError("Java heap space");
            }
            super.addAll(more);
        }
    }
}
