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
/**
 * The kinds of state. Each has the state that the user's functions get, which changes the delegate
 * and logs the change; the writer of both, which uses the bytes that the delegate was given,
 * wherever they are available; and the applier, which applies a log through the delegate's state.
 *
 * <p>{@link io.dstl.changelog.state.StateKind} is the table of the kinds of key-value state.
 * Writers for Flink's RocksDB states are a {@linkplain io.dstl.changelog.state.DelegateWriters
 * service} in Flink's package, where their buffers can be reached; every other delegate's state is
 * serialized once more. Called by the task thread, and by the thread that replays.
 */
package io.dstl.changelog.state;
