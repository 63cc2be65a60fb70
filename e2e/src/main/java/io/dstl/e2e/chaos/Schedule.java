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
package io.dstl.e2e.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Draws rounds of faults without end: the n-th is the same under the same seed, however many are
 * taken. For one thread.
 *
 * <p>Kinds are dealt like cards, so that each comes before any comes again. Every third round has
 * only faults of the store: what restarts then does so because of them. Any other has one at least
 * of something else.
 */
final class Schedule {
    private static final int STORAGE_ROUND = 3;
    private static final int MAX_AT_ONCE = 3;
    private static final int MAX_OFFSET_MILLIS = 5_000;
    private static final int MAX_PAUSE_MILLIS = 4_000;
    private static final int CHOICES = 100;

    private final Random random;
    private final List<FaultKind> others = new ArrayList<>();
    private final List<FaultKind> storage = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final int largestParallelism;
    private int parallelism;
    private int drawn;

    /**
     * @param parallelism of the job at first
     * @param largestParallelism that it is rescaled to, at least 3; the smallest is 2
     */
    Schedule(long seed, int parallelism, int largestParallelism) {
        if (largestParallelism < 3) {
            throw new IllegalArgumentException(
                    "a job can't be rescaled between 2 and " + largestParallelism + ": give 3");
        }
        this.random = new Random(seed);
        this.parallelism = parallelism;
        this.largestParallelism = largestParallelism;
    }

    /** The next round. */
    Round next() {
        drawn++;
        boolean store = drawn % STORAGE_ROUND == 0;
        int number = atOnce();
        List<PlannedFault> faults = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            boolean ofStore = store || (i > 0 && random.nextBoolean());
            FaultKind kind = deal(ofStore ? storage : others, kinds(ofStore));
            if (faults.stream().noneMatch(fault -> fault.kind == kind)) {
                faults.add(fault(kind));
            }
        }
        faults.sort(Comparator.comparing(one -> one.offset));
        Operation operation = deal(operations, List.of(Operation.values()));
        return new Round(
                drawn, millis(0, MAX_PAUSE_MILLIS), faults, operation, rescaled(operation));
    }

    /** One more often than three. */
    private int atOnce() {
        return 1 + Math.min(random.nextInt(MAX_AT_ONCE), random.nextInt(MAX_AT_ONCE + 1));
    }

    private PlannedFault fault(FaultKind kind) {
        return new PlannedFault(
                kind,
                millis(0, MAX_OFFSET_MILLIS),
                millis(1_000 * kind.shortestSeconds, 1_000 * kind.longestSeconds),
                random.nextInt(CHOICES));
    }

    private int rescaled(Operation operation) {
        int other = 2 + random.nextInt(largestParallelism - 2);
        if (other >= parallelism) {
            other++;
        }
        if (operation == Operation.RESCALE_CLAIM || operation == Operation.RESCALE_NO_CLAIM) {
            parallelism = other;
        }
        return other;
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(least + random.nextInt(most - least + 1));
    }

    private <T> T deal(List<T> deck, List<T> all) {
        if (deck.isEmpty()) {
            deck.addAll(all);
            Collections.shuffle(deck, random);
        }
        return deck.remove(deck.size() - 1);
    }

    private static List<FaultKind> kinds(boolean ofStore) {
        return Stream.of(FaultKind.values())
                .filter(kind -> kind.storage == ofStore)
                .collect(Collectors.toList());
    }

    /**
     * Faults that overlap, and what the operator does after them or, where only the store is at
     * fault, during them. Immutable.
     */
    static final class Round {
        final int number;
        final Duration pause;
        final List<PlannedFault> faults;
        final Operation operation;
        final int parallelism;

        /**
         * @param number from 1
         * @param pause before it
         * @param parallelism of a rescale
         */
        Round(
                int number,
                Duration pause,
                List<PlannedFault> faults,
                Operation operation,
                int parallelism) {
            this.number = number;
            this.pause = pause;
            this.faults = List.copyOf(faults);
            this.operation = operation;
            this.parallelism = parallelism;
        }

        /** Whether nothing is at fault but the object store: then no task may fail. */
        boolean storageAlone() {
            return faults.stream().allMatch(fault -> fault.kind.storage);
        }

        @Override
        public String toString() {
            return "round "
                    + number
                    + ": "
                    + faults.stream().map(PlannedFault::toString).collect(Collectors.joining("; "))
                    + (operation == Operation.NONE ? "" : "; " + operation)
                    + (isRescale() ? " to " + parallelism : "");
        }

        boolean isRescale() {
            return operation == Operation.RESCALE_CLAIM || operation == Operation.RESCALE_NO_CLAIM;
        }
    }

    /** One fault of a schedule. Immutable. */
    static final class PlannedFault {
        final FaultKind kind;
        final Duration offset;
        final Duration length;
        final int choice;

        /**
         * @param offset since the begin of its round
         * @param length until it is over: the process is started again, the store well
         * @param choice from 0 to 99: which process it hits, or how hard
         */
        PlannedFault(FaultKind kind, Duration offset, Duration length, int choice) {
            this.kind = kind;
            this.offset = offset;
            this.length = length;
            this.choice = choice;
        }

        Duration end() {
            return offset.plus(length);
        }

        /** From 0.2 to 1: of what is hit. */
        double share() {
            return 0.2 + 0.8 * choice / 99;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s at %.1f s for %.1f s (%d)",
                    kind,
                    offset.toMillis() / 1000.0,
                    length.toMillis() / 1000.0,
                    choice);
        }
    }

    /** What a chaos run does to the cluster and to what it stands on. */
    enum FaultKind {
        TASK_MANAGER_KILLED("kill -9 of a TaskManager", false, 0, 4),
        TASK_MANAGER_PAUSED(
                "SIGSTOP of a TaskManager beyond the heartbeat, SIGCONT", false, 13, 18),
        JOB_MANAGER_KILLED("kill -9 of the leading JobManager", false, 0, 4),
        ZOOKEEPER_KILLED("kill -9 of ZooKeeper", false, 1, 6),
        ZOOKEEPER_ANSWER_LOST("ZooKeeper's answer lost after the write", false, 8, 12),
        DISK_FULL("local disk full", false, 3, 6),
        STORE_STALLED("store stalled", true, 3, 12),
        STORE_UNAVAILABLE("store answers 503", true, 3, 10),
        STORE_SLOW("store slow", true, 5, 12),
        STORE_RESETS("store resets connections", true, 3, 10),
        STORE_ANSWERS_LOST("store's answer lost after it stored", true, 3, 10);

        /** For tables. */
        final String title;

        /** Whether it is one of the object store's: no job has to restart for that. */
        final boolean storage;

        final int shortestSeconds;
        final int longestSeconds;

        FaultKind(String title, boolean storage, int shortestSeconds, int longestSeconds) {
            this.title = title;
            this.storage = storage;
            this.shortestSeconds = shortestSeconds;
            this.longestSeconds = longestSeconds;
        }
    }

    /** What an operator does to the job between faults. */
    enum Operation {
        NONE,
        /**
         * Cancel, and start from the retained checkpoint at another parallelism, which is claimed.
         */
        RESCALE_CLAIM,
        /** The same, and the checkpoint is left as it is. */
        RESCALE_NO_CLAIM,
        SAVEPOINT
    }
}
