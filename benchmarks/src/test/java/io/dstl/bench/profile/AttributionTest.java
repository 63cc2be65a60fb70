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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.profile.SampledStack.StackFrame;
import io.dstl.bench.profile.TaskProfile.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Stacks as recorded, the outermost first; what is outside of all of them is left out. */
class AttributionTest {
    private static final String FLINK = "org/apache/flink/";
    private static final String ROCKSDB_STATES = FLINK + "contrib/streaming/state/";
    private static final String ROCKSDB_STATES_OF_2 = FLINK + "state/rocksdb/";
    private static final String BYTES =
            FLINK + "api/common/typeutils/base/array/BytePrimitiveArraySerializer.serialize";
    private static final String BUFFER = FLINK + "core/memory/DataOutputSerializer.write";
    private static final String PUT = "org/rocksdb/RocksDB.put";

    private static final List<String> TASK =
            List.of(
                    "java/lang/Thread.run",
                    FLINK + "runtime/taskmanager/Task.run",
                    FLINK + "streaming/runtime/tasks/StreamTask.processInput",
                    FLINK + "streaming/runtime/io/AbstractStreamTaskNetworkInput.emitNext");

    private static final List<String> FUNCTION =
            join(
                    TASK,
                    FLINK + "streaming/api/operators/KeyedProcessOperator.processElement",
                    "io/dstl/bench/job/ValueWork.apply");

    private static final List<String> OFF =
            join(FUNCTION, ROCKSDB_STATES + "RocksDBValueState.update");

    private static final List<String> STOCK =
            join(FUNCTION, FLINK + "state/changelog/ChangelogValueState.update");

    private static final List<String> STOCK_LOG =
            join(
                    STOCK,
                    FLINK + "state/changelog/AbstractStateChangeLogger.valueUpdated",
                    FLINK + "state/changelog/KvStateChangeLoggerImpl.serializeValue");

    private static final List<String> DSTL =
            join(
                    FUNCTION,
                    "io/dstl/changelog/state/ValueKind$LoggedValueState.update",
                    ROCKSDB_STATES + "RocksDbWriters$ValueWriter.set");

    private static final List<String> DSTL_LOG =
            join(DSTL, "io/dstl/changelog/record/StateLog.record");

    @Test
    void aCallOfRocksDbIsItsOwnWhoeverMakesIt() {
        for (List<String> caller : List.of(OFF, join(STOCK, OFF.get(OFF.size() - 1)), DSTL)) {
            assertThat(work(join(caller, PUT))).isEqualTo(Work.ROCKSDB);
            assertThat(
                            work(
                                    join(
                                            caller,
                                            PUT,
                                            "Java_org_rocksdb_RocksDB_put__JJ_3BII_3BIIJ",
                                            "rocksdb::DBImpl::WriteImpl",
                                            "/tmp/rocksdb-lib-27/librocksdbjni-linux64.so",
                                            "bool rocksdb::InlineSkipList<rocksdb::"
                                                    + "MemTableRep::KeyComparator const&>"
                                                    + "::Insert<false>")))
                    .isEqualTo(Work.ROCKSDB);
        }
    }

    @Test
    void whatTheStateSerializesForRocksDbIsTheSerializers() {
        assertThat(work(join(OFF, BYTES, BUFFER))).isEqualTo(Work.SERIALIZERS);
        assertThat(work(join(STOCK, ROCKSDB_STATES + "RocksDBValueState.update", BYTES, BUFFER)))
                .isEqualTo(Work.SERIALIZERS);
    }

    /** It is the only time: the log takes the bytes. */
    @Test
    void whatOurWriterSerializesForRocksDbAndTheLogIsTheSerializers() {
        assertThat(
                        work(
                                join(
                                        DSTL,
                                        ROCKSDB_STATES + "RocksDbValue.serialize",
                                        BYTES,
                                        BUFFER,
                                        "jbyte_disjoint_arraycopy_avx3")))
                .isEqualTo(Work.SERIALIZERS);
    }

    @Test
    void whatIsSerializedForTheLogIsTheChangelogs() {
        Attribution stock = of(join(STOCK_LOG, BYTES, BUFFER));
        assertThat(stock.work).isEqualTo(Work.CHANGELOG);
        assertThat(stock.owner.orElseThrow().label())
                .isEqualTo("KvStateChangeLoggerImpl.serializeValue");
        assertThat(work(join(DSTL_LOG, BYTES, BUFFER))).isEqualTo(Work.CHANGELOG);
    }

    @Test
    void theBytesThatTheLogCopiesAreTheChangelogs() {
        Attribution copy =
                of(
                        join(
                                DSTL_LOG,
                                ROCKSDB_STATES + "RocksDbKey.writeTo",
                                "io/dstl/fs/arena/ChunkedOutput.write",
                                "java/lang/System.arraycopy"));
        assertThat(copy.work).isEqualTo(Work.CHANGELOG);
        assertThat(copy.owner.orElseThrow().label()).isEqualTo("ChunkedOutput.write");
    }

    @Test
    void whatTheLogAsksFlinkForIsTheChangelogs() {
        assertThat(
                        work(
                                join(
                                        DSTL_LOG,
                                        ROCKSDB_STATES + "RocksDbKey.keyGroup",
                                        FLINK
                                                + "runtime/state/AbstractKeyedStateBackend"
                                                + ".getCurrentKeyGroupIndex")))
                .isEqualTo(Work.CHANGELOG);
        assertThat(
                        work(
                                join(
                                        DSTL_LOG,
                                        "io/dstl/fs/log/SegmentedChangeLog.beginChange",
                                        FLINK + "runtime/state/KeyGroupRange.contains")))
                .isEqualTo(Work.CHANGELOG);
    }

    /** Counted as ours, though Flink's own state builds the key as well. */
    @Test
    void theKeyThatOurWriterBuildsForRocksDbIsTheChangelogs() {
        List<String> build =
                List.of(
                        FLINK + "runtime/state/SerializedCompositeKeyBuilder.setNamespace",
                        FLINK + "core/memory/DataOutputSerializer.setPosition");
        assertThat(work(join(join(DSTL, ROCKSDB_STATES + "RocksDbKey.at"), build)))
                .isEqualTo(Work.CHANGELOG);
        assertThat(work(join(OFF, build))).isEqualTo(Work.STATE);
    }

    @Test
    void theKeySwitchOfTheDelegateIsTheStates() {
        List<String> backend =
                List.of(
                        ROCKSDB_STATES + "RocksDBKeyedStateBackend.setCurrentKey",
                        FLINK + "runtime/state/AbstractKeyedStateBackend.setCurrentKey");
        List<String> logged =
                join(TASK, "io/dstl/changelog/keyed/LoggedKeyedStateBackend.setCurrentKey");
        assertThat(work(join(TASK, backend))).isEqualTo(Work.STATE);
        assertThat(work(join(logged, backend))).isEqualTo(Work.STATE);
        assertThat(
                        work(
                                join(
                                        join(logged, backend),
                                        FLINK + "runtime/state/SerializedCompositeKeyBuilder.set",
                                        FLINK
                                                + "api/common/typeutils/base/LongSerializer"
                                                + ".serialize")))
                .isEqualTo(Work.SERIALIZERS);
        assertThat(work(logged)).isEqualTo(Work.CHANGELOG);
    }

    @Test
    void recordsAreDeserializedByTheNetwork() {
        assertThat(
                        work(
                                join(
                                        TASK,
                                        FLINK
                                                + "streaming/runtime/streamrecord"
                                                + "/StreamElementSerializer.deserialize",
                                        FLINK
                                                + "api/common/typeutils/base/LongSerializer"
                                                + ".deserialize")))
                .isEqualTo(Work.NETWORK);
        assertThat(
                        work(
                                join(
                                        TASK,
                                        FLINK
                                                + "streaming/runtime/streamrecord"
                                                + "/StreamElementSerializer.deserialize",
                                        FLINK
                                                + "streaming/runtime/streamrecord"
                                                + "/StreamRecord.<init>")))
                .isEqualTo(Work.NETWORK);
    }

    @Test
    void theFunctionIsApartFromTheOperator() {
        assertThat(work(join(FUNCTION, "io/dstl/bench/job/Payload.fill", "java/nio/Buffer.put")))
                .isEqualTo(Work.FUNCTION);
        assertThat(work(FUNCTION.subList(0, FUNCTION.size() - 1))).isEqualTo(Work.FLINK);
    }

    @Test
    void aSnapshotIsTheCheckpointsAndItsLogTheChangelogs() {
        List<String> barrier =
                join(
                        TASK,
                        FLINK
                                + "streaming/runtime/tasks/SubtaskCheckpointCoordinatorImpl"
                                + ".checkpointState");
        assertThat(work(barrier)).isEqualTo(Work.CHECKPOINTS);
        assertThat(work(join(barrier, "org/rocksdb/Checkpoint.createCheckpoint")))
                .isEqualTo(Work.CHECKPOINTS);
        assertThat(work(join(barrier, "io/dstl/fs/log/SegmentedChangeLog.persist")))
                .isEqualTo(Work.CHANGELOG);
        assertThat(work(join(barrier, FLINK + "changelog/fs/FsStateChangelogWriter.persist")))
                .isEqualTo(Work.CHANGELOG);
    }

    /** RocksDB's snapshot costs the same, whether a checkpoint or the changelog asks for it. */
    @Test
    void theSnapshotOfAMaterializationIsTheCheckpoints() {
        assertThat(
                        work(
                                join(
                                        TASK,
                                        "io/dstl/changelog/keyed/DelegateSnapshots.start",
                                        ROCKSDB_STATES + "RocksDBKeyedStateBackend.snapshot",
                                        FLINK + "runtime/state/SnapshotStrategyRunner.snapshot",
                                        "org/rocksdb/Checkpoint.createCheckpoint")))
                .isEqualTo(Work.CHECKPOINTS);
    }

    @Test
    void aStackThatCouldNotBeWalkedIsToldApart() {
        assertThat(work(List.of())).isEqualTo(Work.OTHER);
        assertThat(work(List.of("[unknown_Java]"))).isEqualTo(Work.OTHER);
        assertThat(work(List.of("java/lang/Thread.run"))).isEqualTo(Work.OTHER);
    }

    /** What of ours is in a package of Flink's has no package that says so. */
    @Test
    void eachOfOurClassesAmongFlinksIsKnown() throws IOException {
        assertThat(written(ROCKSDB_STATES)).isNotEmpty().allSatisfy(this::isOurs);
        assertThat(written(ROCKSDB_STATES_OF_2)).isNotEmpty().allSatisfy(this::isOurs);
    }

    /** Flink 2's package has our classes of 1.20 too, as the build moves them. */
    @Test
    void theStatesOfFlink2AreKnown() throws IOException {
        for (String name : written(ROCKSDB_STATES)) {
            isOurs(name.replace(ROCKSDB_STATES, ROCKSDB_STATES_OF_2));
        }
        assertThat(work(join(FUNCTION, ROCKSDB_STATES_OF_2 + "RocksDBValueState.update", BYTES)))
                .isEqualTo(Work.SERIALIZERS);
    }

    private void isOurs(String name) {
        assertThat(work(List.of(name + ".m"))).isEqualTo(Work.CHANGELOG);
    }

    /** The classes that this repository has in one of Flink's packages. */
    private static List<String> written(String flinkPackage) throws IOException {
        String module = flinkPackage.equals(ROCKSDB_STATES) ? "flink-1.20" : "flink-2";
        try (Stream<Path> files =
                Files.list(Path.of("..", module, "src/main/java").resolve(flinkPackage))) {
            return files.map(Path::getFileName)
                    .map(file -> flinkPackage + file.toString().replace(".java", ""))
                    .collect(Collectors.toList());
        }
    }

    private static Work work(List<String> outermostFirst) {
        return of(outermostFirst).work;
    }

    private static Attribution of(List<String> outermostFirst) {
        List<StackFrame> frames =
                outermostFirst.stream().map(StackFrame::parse).collect(Collectors.toList());
        Collections.reverse(frames);
        return Attribution.of(frames);
    }

    private static List<String> join(List<String> outer, String... inner) {
        return join(outer, List.of(inner));
    }

    private static List<String> join(List<String> outer, List<String> inner) {
        List<String> all = new ArrayList<>(outer);
        all.addAll(inner);
        return all;
    }
}
