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
 * Changes a state of the delegate and tells the log of it, with the bytes that the delegate was
 * given wherever these are at hand.
 *
 * <p>One interface per kind of state. Its implementation for Flink's RocksDB states is a
 * {@linkplain io.dstl.changelog.delegate.DelegateWriters service} in Flink's package, where their
 * buffers can be reached; the {@code Serializing*} ones, for every other delegate, serialize once
 * more.
 */
package io.dstl.changelog.write;
