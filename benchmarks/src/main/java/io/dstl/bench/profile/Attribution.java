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
package io.dstl.bench.profile;

import java.util.List;
import java.util.Optional;

/**
 * Says what a stack is work for: what its innermost method with an owner is there for. Three things
 * are not as simple as that.
 *
 * <ul>
 *   <li>A serializer works for whoever called it. Called for the log it is the changelog's, as
 *       without a changelog it would not run. Called by our writers of RocksDB's states it is the
 *       state's: the state's own class would call it as well, once, and so do these.
 *   <li>What is done for a snapshot is the checkpoint's, if it is not the changelog's.
 *   <li>A stack without any owner, as of one that could not be walked, is told apart.
 * </ul>
 */
final class Attribution {
    private final Work work;
    private final Optional<StackFrame> owner;

    private Attribution(Work work, Optional<StackFrame> owner) {
        this.work = work;
        this.owner = owner;
    }

    /**
     * @param frames the innermost first
     */
    static Attribution of(List<StackFrame> frames) {
        boolean serializer = false;
        for (StackFrame frame : frames) {
            Optional<Work> owner = Ownership.of(frame);
            if (owner.isEmpty()) {
                continue;
            }
            if (owner.get() == Work.SERIALIZERS) {
                serializer = true;
                continue;
            }
            Work work = serializer ? serializing(frame, owner.get()) : owner.get();
            return new Attribution(
                    work != Work.CHANGELOG
                                    && frames.stream().anyMatch(Ownership::hasPartInCheckpoints)
                            ? Work.CHECKPOINTS
                            : work,
                    Optional.of(frame));
        }
        return new Attribution(Work.OTHER, Optional.empty());
    }

    private static Work serializing(StackFrame caller, Work owner) {
        switch (owner) {
            case STATE:
                return Work.SERIALIZERS;
            case CHANGELOG:
                return Ownership.writesToRocksDb(caller) ? Work.SERIALIZERS : Work.CHANGELOG;
            default:
                return owner;
        }
    }

    Work work() {
        return work;
    }

    /** The innermost method that belongs to whoever the work is for, serializers aside. */
    Optional<StackFrame> owner() {
        return owner;
    }
}
