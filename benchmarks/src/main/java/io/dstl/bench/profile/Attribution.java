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

import io.dstl.bench.profile.SampledStack.StackFrame;
import io.dstl.bench.profile.TaskProfile.Work;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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
    final Work work;

    /** The innermost method that belongs to whoever the work is for, serializers aside. */
    final Optional<StackFrame> owner;

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

    /**
     * Whose a class is. The longest known beginning of its name decides; a class that has none, as
     * those of the JDK, works for whoever calls it.
     */
    static final class Ownership {
        private static final String FLINK = "org.apache.flink.";

        /** RocksDB's package in Flink 1.20, and in 2. */
        private static final List<String> ROCKSDB_STATES =
                List.of(FLINK + "contrib.streaming.state.", FLINK + "state.rocksdb.");

        /** Ours among Flink's: they write the same bytes to RocksDB and to the log. */
        private static final List<String> WRITERS =
                ROCKSDB_STATES.stream()
                        .map(states -> states + "RocksDb")
                        .collect(Collectors.toUnmodifiableList());

        /** What has a part in a snapshot of the state, whoever asked for it. */
        private static final List<String> CHECKPOINTING =
                List.of(
                        FLINK + "streaming.runtime.tasks.SubtaskCheckpointCoordinator",
                        FLINK + "streaming.runtime.io.checkpointing.CheckpointBarrierHandler",
                        FLINK + "streaming.runtime.io.checkpointing.SingleCheckpointBarrierHandler",
                        FLINK + "runtime.state.SnapshotStrategyRunner",
                        ROCKSDB_STATES.get(0) + "snapshot.",
                        ROCKSDB_STATES.get(1) + "snapshot.");

        private static final Map<String, Optional<Work>> OWNERS = owners();

        private static final List<String> LONGEST_FIRST =
                OWNERS.keySet().stream()
                        .sorted(Comparator.comparingInt(String::length).reversed())
                        .collect(Collectors.toUnmodifiableList());

        private Ownership() {}

        private static Map<String, Optional<Work>> owners() {
            Map<String, Optional<Work>> owners = new HashMap<>();
            put(owners, Work.ROCKSDB, "org.rocksdb.");
            put(owners, Work.FUNCTION, "io.dstl.bench.");
            put(owners, Work.CHANGELOG, "io.dstl.");
            WRITERS.forEach(writer -> put(owners, Work.CHANGELOG, writer));
            for (String theirs :
                    List.of("state.changelog.", "changelog.fs.", "runtime.state.changelog.")) {
                put(owners, Work.CHANGELOG, FLINK + theirs);
            }
            for (String types :
                    List.of(
                            "api.common.typeutils.",
                            "api.java.typeutils.",
                            "formats.",
                            "runtime.state.VoidNamespaceSerializer",
                            "streaming.api.windowing.windows.TimeWindow$Serializer")) {
                put(owners, Work.SERIALIZERS, FLINK + types);
            }
            ROCKSDB_STATES.forEach(states -> put(owners, Work.STATE, states));
            put(owners, Work.STATE, FLINK + "runtime.state.heap.");
            for (String io :
                    List.of(
                            "runtime.io.",
                            "runtime.plugable.",
                            "streaming.runtime.io.",
                            "streaming.runtime.streamrecord.StreamElementSerializer")) {
                put(owners, Work.NETWORK, FLINK + io);
            }
            put(owners, Work.FLINK, FLINK);
            // Without a purpose of their own: a key group asked for by the log is the log's work.
            for (String shared :
                    List.of(
                            "core.memory.",
                            "util.",
                            "runtime.state.",
                            "streaming.runtime.streamrecord.")) {
                owners.put(FLINK + shared, Optional.empty());
            }
            return owners;
        }

        private static void put(Map<String, Optional<Work>> owners, Work work, String beginning) {
            owners.put(beginning, Optional.of(work));
        }

        /** Empty for what works for its caller. */
        static Optional<Work> of(StackFrame frame) {
            String name = frame.className;
            return LONGEST_FIRST.stream().filter(name::startsWith).findFirst().flatMap(OWNERS::get);
        }

        /** Whether it is of ours and serializes what RocksDB is given. */
        static boolean writesToRocksDb(StackFrame frame) {
            return WRITERS.stream().anyMatch(frame.className::startsWith);
        }

        static boolean hasPartInCheckpoints(StackFrame frame) {
            return CHECKPOINTING.stream().anyMatch(frame.className::startsWith);
        }
    }
}
