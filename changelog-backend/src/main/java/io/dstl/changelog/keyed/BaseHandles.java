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
package io.dstl.changelog.keyed;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendLocalHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;

/** The two parts of a base: handles of the delegate, and of the logs to replay on top of them. */
final class BaseHandles {

    private final List<KeyedStateHandle> materialized;
    private final List<ChangelogStateHandle> logs;

    /**
     * @param logs replayed in this order
     */
    BaseHandles(List<KeyedStateHandle> materialized, List<ChangelogStateHandle> logs) {
        this.materialized = List.copyOf(materialized);
        this.logs = List.copyOf(logs);
    }

    /** What a restore reads: backups on the local disk, for those handles that stand for them. */
    static BaseHandles read(List<ChangelogStateBackendHandle> restored) {
        return new BaseHandles(
                concat(restored, handle -> handle.getMaterializedStateHandles().stream()),
                concat(restored, handle -> handle.getNonMaterializedStateHandles().stream()));
    }

    /** What the JobManager knows of it, and later checkpoints hand to it again. */
    static BaseHandles remote(List<ChangelogStateBackendHandle> restored) {
        return new BaseHandles(
                concat(
                        restored,
                        handle ->
                                isLocal(handle)
                                        ? local(handle).getRemoteMaterializedStateHandles().stream()
                                        : handle.getMaterializedStateHandles().stream()),
                concat(
                        restored,
                        handle ->
                                isLocal(handle)
                                        ? local(handle)
                                                .getRemoteNonMaterializedStateHandles()
                                                .stream()
                                        : handle.getNonMaterializedStateHandles().stream()));
    }

    static boolean isLocal(ChangelogStateBackendHandle handle) {
        return handle instanceof ChangelogStateBackendLocalHandle;
    }

    private static ChangelogStateBackendLocalHandle local(ChangelogStateBackendHandle handle) {
        return (ChangelogStateBackendLocalHandle) handle;
    }

    private static <T> List<T> concat(
            List<ChangelogStateBackendHandle> handles,
            Function<ChangelogStateBackendHandle, Stream<T>> part) {
        return handles.stream().flatMap(part).collect(Collectors.toList());
    }

    /** The same with a log on top, if there is one. */
    BaseHandles with(Optional<ChangelogStateHandle> log) {
        List<ChangelogStateHandle> all = new ArrayList<>(logs);
        log.ifPresent(all::add);
        return new BaseHandles(materialized, all);
    }

    List<KeyedStateHandle> materialized() {
        return materialized;
    }

    List<ChangelogStateHandle> logs() {
        return logs;
    }
}
