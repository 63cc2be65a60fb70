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
package io.dstl.fs.log;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The persists of one log that are under way. Each look is at those of that moment, in the order in
 * which they were called, so that they may end meanwhile.
 *
 * <p>Guarded by the lock of its {@link SealedLog}.
 */
final class PendingPersists {

    private final List<PendingPersist> persists = new ArrayList<>();

    void add(PendingPersist persist) {
        persists.add(persist);
    }

    void remove(PendingPersist persist) {
        persists.remove(persist);
    }

    List<PendingPersist> all() {
        return List.copyOf(persists);
    }

    List<PendingPersist> waitingFor(LoggedSet set) {
        return select(persist -> persist.needs(set));
    }

    List<PendingPersist> of(long checkpointId) {
        return select(persist -> persist.checkpointId() == checkpointId);
    }

    private List<PendingPersist> select(Predicate<PendingPersist> which) {
        return persists.stream().filter(which).collect(Collectors.toUnmodifiableList());
    }
}
