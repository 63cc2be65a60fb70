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
package io.dstl.harness.proxy;

import java.util.OptionalInt;

/** Who answers a request: the store, the proxy with an error, or nobody. */
final class Answer {
    static final Answer STORE = new Answer(OptionalInt.empty());

    /** The connection is reset before the store has seen the request. */
    static final Answer RESET = new Answer(OptionalInt.empty());

    /** The store answers, and the connection is reset in place of its answer. */
    static final Answer LOST = new Answer(OptionalInt.empty());

    private final OptionalInt error;

    private Answer(OptionalInt error) {
        this.error = error;
    }

    static Answer of(int status) {
        return new Answer(OptionalInt.of(status));
    }

    /** The status of the error; empty where it is not the proxy that answers. */
    OptionalInt error() {
        return error;
    }
}
