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

import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.sizing.ReplaySpeed;
import java.util.Optional;

/** What the command was asked for, checked. Immutable. */
final class InspectSettings {
    private static final int MAX_THREADS = 64;

    private final int threads;
    private final int top;
    private final ReplaySpeed replay;
    private final Optional<KeyType> keyType;
    private final Optional<String> state;
    private final Optional<String> key;

    private InspectSettings(
            int threads,
            int top,
            ReplaySpeed replay,
            Optional<KeyType> keyType,
            Optional<String> state,
            Optional<String> key) {
        this.threads = threads;
        this.top = top;
        this.replay = replay;
        this.keyType = keyType;
        this.state = state;
        this.key = key;
    }

    /**
     * @throws CommandFailure with option, value and remedy
     */
    static InspectSettings of(int threads, int top, ReplaySpeed replay) throws CommandFailure {
        if (threads < 1 || threads > MAX_THREADS) {
            throw CommandFailure.usage(
                    "--threads " + threads + ": give a number from 1 to " + MAX_THREADS);
        }
        if (top < 1) {
            throw CommandFailure.usage("--top " + top + ": give a number from 1 on");
        }
        Optional<String> mistake = replay.mistake();
        if (mistake.isPresent()) {
            throw CommandFailure.usage(mistake.get());
        }
        return new InspectSettings(
                threads, top, replay, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * @throws CommandFailure with option, value and remedy
     */
    InspectSettings keys(
            Optional<String> newKeyType, Optional<String> newState, Optional<String> newKey)
            throws CommandFailure {
        Optional<KeyType> type = newKeyType.flatMap(KeyType::named);
        if (newKeyType.isPresent() && !type.isPresent()) {
            throw CommandFailure.usage(
                    "--key-type " + newKeyType.get() + ": give one of " + KeyType.names());
        }
        if (newKey.isPresent() != newState.isPresent()) {
            throw CommandFailure.usage(
                    newKey.isPresent()
                            ? "--key without --state: give the name of the state as well"
                            : "--state without --key: give the key whose records are wanted");
        }
        return new InspectSettings(threads, top, replay, type, newState, newKey);
    }

    int threads() {
        return threads;
    }

    /** Rows of each table that may be long, and records of a key. */
    int top() {
        return top;
    }

    ReplaySpeed replay() {
        return replay;
    }

    Optional<KeyType> keyType() {
        return keyType;
    }

    /** Present if {@link #key()} is. */
    Optional<String> state() {
        return state;
    }

    Optional<String> key() {
        return key;
    }
}
