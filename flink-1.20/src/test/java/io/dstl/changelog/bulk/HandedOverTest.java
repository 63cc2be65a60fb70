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
package io.dstl.changelog.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class HandedOverTest {
    private final PartitionThread.HandedOver handedOver = new PartitionThread.HandedOver(1000);

    @Test
    void hasRoomForItsLimit() throws Exception {
        assertThat(handedOver.enter(600, 0)).isTrue();
        assertThat(handedOver.enter(400, 0)).isTrue();
        assertThat(handedOver.enter(1, 0)).isFalse();
        handedOver.leave(400);
        assertThat(handedOver.enter(401, 0)).isFalse();
        assertThat(handedOver.enter(400, 0)).isTrue();
    }

    @Test
    void takesWhatIsLargerAlone() throws Exception {
        assertThat(handedOver.enter(1, 0)).isTrue();
        assertThat(handedOver.enter(5L << 30, 0)).isFalse();
        handedOver.leave(1);
        assertThat(handedOver.enter(5L << 30, 0)).isTrue();
        assertThat(handedOver.enter(1, 0)).isFalse();
        handedOver.leave(5L << 30);
        assertThat(handedOver.enter(1000, 0)).isTrue();
    }

    @Test
    void tellsAFailure() {
        assertThatCode(handedOver::check).doesNotThrowAnyException();
        handedOver.fail("task replay 2", new IllegalStateException("broken"));
        assertThatThrownBy(handedOver::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("task replay 2")
                .hasMessageContaining("broken");
    }
}
