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
package io.dstl.changelog.replay;

import java.io.IOException;

/** Holds a change to the key group it was logged under: a key of another one means corruption. */
final class KeyGroupCheck {
    private KeyGroupCheck() {}

    static void expect(int logged, int computed) throws IOException {
        if (logged != computed) {
            throw new IOException(
                    "the key belongs to key group "
                            + computed
                            + ": expected key group "
                            + logged
                            + ", which the change was logged under");
        }
    }
}
