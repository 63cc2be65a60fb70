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

import org.junit.jupiter.api.Test;

class HeapShareTest {

    @Test
    void givesHalfOfWhatThereIsAndTheLeastAlways() {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(200, () -> 1000);

        assertThat(share.take(60, 10)).isEqualTo(60);
        assertThat(share.take(100, 10)).isEqualTo(70);
        assertThat(share.take(60, 10)).isEqualTo(35);
        assertThat(share.take(60, 30)).isEqualTo(30);
        assertThat(share.take(5, 30)).isEqualTo(5);

        share.giveBack(60);
        assertThat(share.take(60, 10)).isEqualTo(30);
    }

    @Test
    void leavesHalfOfWhatIsIdle() {
        BulkSettings.HeapShare share = new BulkSettings.HeapShare(200, () -> 70);

        assertThat(share.take(60, 10)).isEqualTo(35);
        assertThat(share.take(60, 40)).isEqualTo(40);
    }
}
