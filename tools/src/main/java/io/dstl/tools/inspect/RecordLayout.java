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
package io.dstl.tools.inspect;

/** Where the parts of a change's record are that all kinds of changes have. */
final class RecordLayout {
    /** Behind the op. */
    static final int STATE_ID_AT = 1;

    /** Behind the state id: the key and the namespace, or the elements of a queue. */
    static final int SCOPE_AT = STATE_ID_AT + Short.BYTES;

    /** What a change takes in a change set beside its record. */
    static final int FRAMING_BYTES = Integer.BYTES;

    private RecordLayout() {}
}
