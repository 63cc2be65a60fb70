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
 * What the backend does to its delegate beyond Flink's own interfaces: it writes states and log
 * with the same bytes, and files with raw keys. This package contains the interfaces. The code that
 * reaches into Flink's RocksDB backend differs between Flink versions and is in modules of its own
 * ({@code flink-1.20/}, {@code flink-2/}), found as {@linkplain
 * io.dstl.changelog.delegate.FlinkVersion services}.
 *
 * <p>Called by the replay, the options and the builder of the keyed backend. The logged states know
 * only the writers, which are theirs ({@code io.dstl.changelog.state.DelegateWriters}). No class of
 * RocksDB is named here.
 */
package io.dstl.changelog.delegate;
