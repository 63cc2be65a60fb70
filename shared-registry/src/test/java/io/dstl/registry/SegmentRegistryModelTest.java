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
package io.dstl.registry;

import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.testkit.ManualExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random calls by many writers, each compared with {@link RegistryModel}. */
class SegmentRegistryModelTest {

    private static final int STEPS = 400;

    /** Run one again with {@code -Ddstl.seed=...}. */
    static List<Long> seeds() {
        Long chosen = Long.getLong("dstl.seed");
        return chosen != null
                ? List.of(chosen)
                : new Random(20_240_601).longs(60).boxed().collect(toList());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void doesWhatTheModelSays(long seed) {
        new Episode(seed).play();
    }

    private static final class Episode {

        private final long seed;
        private final Random random;
        private final RegistryModel model = new RegistryModel();
        private final SegmentLedger ledger = new SegmentLedger();
        private final ManualExecutor executor = new ManualExecutor();
        private final SegmentRegistry registry;

        private final List<RandomWriter> writers = new ArrayList<>();
        private final Set<String> neverDelete = new HashSet<>();
        private int writersSoFar;
        private int segmentsSoFar;
        private long checkpointsSoFar;

        Episode(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.registry =
                    new SegmentRegistry(
                            new DeletionQueue(
                                    this::checkUnneeded, executor, DeletionSchedule.none(), ledger),
                            ledger);
        }

        void play() {
            openWriter();
            for (int step = 0; step < STEPS; step++) {
                String call = makeACall();
                check("step " + step + ": " + call);
            }
            while (!writers.isEmpty()) {
                closeWriter(writers.get(0));
            }
            check("all writers closed");
            registry.close();
            model.close();
            check("closed");
            assertThat(segmentsSoFar)
                    .as("seed %d: every segment has an end", seed)
                    .isEqualTo(
                            ledger.deleted.size()
                                    + ledger.handedOver.size()
                                    + ledger.leftBehind.size());
        }

        private String makeACall() {
            switch (random.nextInt(12)) {
                case 0:
                    return openWriter();
                case 1:
                    return writers.size() > 1 ? closeWriter(anyOf(writers)) : "nothing";
                case 2:
                case 3:
                    return store();
                case 4:
                    return truncate(anyOf(writers));
                case 5:
                case 6:
                    return pin(anyOf(writers));
                case 7:
                    return confirm();
                case 8:
                    return abort();
                case 9:
                case 10:
                    return subsume(anyOf(writers));
                default:
                    return random.nextInt(4) == 0 ? restore() : "nothing";
            }
        }

        private String openWriter() {
            if (writers.size() == 5) {
                return "nothing";
            }
            RandomWriter writer = new RandomWriter(new WriterId("writer " + writersSoFar++));
            registry.openWriter(writer.id);
            writers.add(writer);
            return "open " + writer.id;
        }

        private String closeWriter(RandomWriter writer) {
            if (random.nextBoolean()) {
                registry.closeWriter(writer.id);
                model.closeWriter(writer.id);
                truncateAll(writer);
            } else {
                truncateAll(writer);
                registry.closeWriter(writer.id);
                model.closeWriter(writer.id);
            }
            writers.remove(writer);
            return "close " + writer.id;
        }

        private String store() {
            String segment = "segment-" + segmentsSoFar++;
            int references = 0;
            for (RandomWriter writer : writers) {
                int changeSets = random.nextInt(3);
                for (int i = 0; i < changeSets; i++) {
                    writer.log.add(segment);
                }
                references += changeSets;
            }
            if (references == 0) {
                anyOf(writers).log.add(segment);
                references = 1;
            }
            registry.register(SegmentLedger.segment(segment), references);
            model.register(segment, references);
            return "register " + segment + " with " + references;
        }

        private String truncate(RandomWriter writer) {
            if (writer.log.isEmpty()) {
                return "nothing";
            }
            String segment = writer.log.remove(0);
            registry.release(SegmentLedger.segment(segment));
            model.release(segment);
            return "release " + segment;
        }

        private void truncateAll(RandomWriter writer) {
            while (!writer.log.isEmpty()) {
                truncate(writer);
            }
        }

        private String pin(RandomWriter writer) {
            long checkpointId = random.nextBoolean() ? ++checkpointsSoFar : anyCheckpoint();
            CheckpointPin pin = new CheckpointPin(writer.id, checkpointId);
            List<StreamStateHandle> handles =
                    writer.log.stream().map(SegmentLedger::segment).collect(toList());
            if (model.mayPin(pin, writer.log)) {
                registry.pin(pin, handles);
                model.pin(pin, writer.log);
                return "pin " + pin;
            }
            assertThatThrownBy(() -> registry.pin(pin, handles))
                    .as("seed %d", seed)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("may have deleted it");
            return "refused " + pin;
        }

        private String confirm() {
            CheckpointPin pin = anyPin();
            registry.confirm(pin);
            model.confirm(pin);
            return "confirm " + pin;
        }

        private String abort() {
            CheckpointPin pin = anyPin();
            registry.abort(pin);
            model.abort(pin);
            return "abort " + pin;
        }

        private String subsume(RandomWriter writer) {
            long checkpointId = anyCheckpoint();
            registry.subsumed(writer.id, checkpointId);
            model.subsumed(writer.id, checkpointId);
            return writer.id + " hears that " + checkpointId + " is subsumed";
        }

        private String restore() {
            if (writers.size() == 5) {
                return "nothing";
            }
            openWriter();
            WriterId writer = writers.get(writers.size() - 1).id;
            long checkpointId = anyCheckpoint();
            registry.restored(writer, checkpointId);
            model.restored(writer, checkpointId);
            return writer + " restored from " + checkpointId;
        }

        private CheckpointPin anyPin() {
            List<CheckpointPin> known = new ArrayList<>(model.pins());
            known.sort((a, b) -> a.toString().compareTo(b.toString()));
            return known.isEmpty() || random.nextInt(8) == 0
                    ? new CheckpointPin(anyOf(writers).id, anyCheckpoint())
                    : anyOf(known);
        }

        private long anyCheckpoint() {
            return checkpointsSoFar == 0 ? 0 : Math.max(0, checkpointsSoFar - random.nextInt(5));
        }

        private <T> T anyOf(List<T> candidates) {
            return candidates.get(random.nextInt(candidates.size()));
        }

        /** Called by the deletion itself, so it looks at the model of that moment. */
        private void checkUnneeded(StreamStateHandle handle) {
            String segment = name(handle);
            assertThat(neverDelete)
                    .as("seed %d: deleting %s", seed, segment)
                    .doesNotContain(segment);
            assertThat(model.isReferenced(segment))
                    .as("seed %d: deleting %s, which is in a log", seed, segment)
                    .isFalse();
        }

        private void check(String when) {
            neverDelete.addAll(model.handedOver);
            neverDelete.addAll(model.leftBehind);
            executor.runAll();
            assertNames(ledger.deleted, model.deleted, when + ": deleted");
            assertNames(ledger.handedOver, model.handedOver, when + ": handed over");
            assertNames(ledger.leftBehind, model.leftBehind, when + ": left behind");
            assertThat(ledger.deleteFailed).as("seed %d: %s", seed, when).isEmpty();
            assertThat(registry.liveSegments())
                    .as("seed %d: %s: live", seed, when)
                    .isEqualTo(model.live());
            assertThat(registry.liveBytes())
                    .as("seed %d: %s: live bytes", seed, when)
                    .isEqualTo(model.live() * SegmentLedger.SEGMENT_BYTES);
        }

        private void assertNames(
                List<StreamStateHandle> actual, Collection<String> expected, String what) {
            Set<String> names = actual.stream().map(Episode::name).collect(toSet());
            assertThat(names).as("seed %d: %s", seed, what).isEqualTo(expected);
            assertThat(names).as("seed %d: %s, once each", seed, what).hasSize(actual.size());
        }

        private static String name(StreamStateHandle handle) {
            String path = handle.getStreamStateHandleID().getKeyString();
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }

    private static final class RandomWriter {

        private final WriterId id;
        private final List<String> log = new ArrayList<>();

        RandomWriter(WriterId id) {
            this.id = id;
        }
    }
}
