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
package io.dstl.fs.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FrameMarksTest {
    private static final long CONTENT = 64 << 10;
    private static final long FILE = 1_000;

    private final FrameMarks marks = new FrameMarks();

    private void pass(int frames) {
        for (int i = 0; i < frames; i++) {
            marks.passed(i * CONTENT, 11 + i * FILE);
        }
    }

    @Test
    void leadsToTheFrameThatAPositionIsIn() {
        assertThat(marks.upTo(CONTENT)).isEmpty();
        pass(100);
        for (int i = 0; i < 100; i++) {
            for (long at : new long[] {i * CONTENT, (i + 1) * CONTENT - 1}) {
                assertThat(marks.upTo(at).orElseThrow().content()).isEqualTo(i * CONTENT);
                assertThat(marks.upTo(at).orElseThrow().file()).isEqualTo(11 + i * FILE);
            }
        }
        assertThat(marks.upTo(1L << 40).orElseThrow().content()).isEqualTo(99 * CONTENT);
    }

    @Test
    void whatIsReadAgainIsNotedOnce() {
        pass(100);
        pass(100);
        assertThat(marks.upTo(3 * CONTENT).orElseThrow().content()).isEqualTo(3 * CONTENT);
    }

    /** At the worst a 32nd of it lies between two places that are kept. */
    @Test
    void ofALargeSegmentHoldsNoMoreThanOfASmallOne() {
        int frames = 10_000;
        pass(frames);
        long places = 0;
        long before = -1;
        for (int i = 0; i < frames; i++) {
            FrameMarks.Mark mark = marks.upTo(i * CONTENT).orElseThrow();
            assertThat(mark.file()).isEqualTo(11 + mark.content() / CONTENT * FILE);
            assertThat(i * CONTENT - mark.content()).isLessThan(frames * CONTENT / 32);
            places += mark.content() == before ? 0 : 1;
            before = mark.content();
        }
        assertThat(places).isBetween(FrameMarks.MOST / 4L, (long) FrameMarks.MOST);
    }
}
