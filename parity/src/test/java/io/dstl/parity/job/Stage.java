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
package io.dstl.parity.job;

import io.dstl.parity.model.Cast;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.TaskInfo;

/**
 * Where a leg and the job that runs in the same process meet: the leg allows rounds and waits for
 * what the job finds in them.
 *
 * <p>Thread-safe. One leg runs at a time in a process.
 */
public final class Stage {

    private static volatile Stage current;

    private final Findings findings;
    private final Map<Integer, Integer> sent = new TreeMap<>();

    private Cast cast;
    private int allowed;
    private int snapshotsToRelease;
    private int failuresDue;
    private int failed;
    private Throwable failure;

    private Stage(Cast cast, int firstRound, int roundsInFlight) {
        this.cast = cast;
        this.allowed = firstRound;
        this.findings = new Findings(cast, firstRound, roundsInFlight);
    }

    /**
     * The next leg begins.
     *
     * @param firstRound of the leg
     * @param roundsInFlight before the first, whose records the restored checkpoint carries
     */
    public static Stage open(Cast cast, int firstRound, int roundsInFlight) {
        current = new Stage(cast, firstRound, roundsInFlight);
        return current;
    }

    static Stage current() {
        return current;
    }

    // ---- for the leg ----

    /** Lets the job process all rounds before this one, and checks what it finds. */
    public synchronized void play(int endRound) throws InterruptedException {
        allow(endRound);
        await(() -> findings.complete(cast.keys(), endRound));
        findings.check(cast.keys(), endRound);
    }

    /** Lets the job go on, without waiting for it. */
    public synchronized void allow(int endRound) {
        allowed = endRound;
        notifyAll();
    }

    /** Waits until all subtasks of the source have sent all rounds before this one. */
    public synchronized void awaitSent(int endRound, int subtasks) throws InterruptedException {
        await(() -> sent.getOrDefault(endRound - 1, 0) >= subtasks);
    }

    private synchronized void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (failure != null) {
                throw new IllegalStateException("The job has failed", failure);
            }
            wait();
        }
    }

    /** Stops the job before its next event, until the source has been part of the checkpoints. */
    public synchronized void hold(int snapshotsOfSource) {
        snapshotsToRelease = snapshotsOfSource;
    }

    /** Ends the source of the even lanes. */
    public synchronized void finishEvenLanes() {
        cast = Cast.EVERY_STATE_OF_ODD_LANES;
        notifyAll();
    }

    /** The next events, as many as given, each end an attempt of the job. */
    public synchronized void failNext(int events) {
        failuresDue = events;
    }

    /**
     * @throws IllegalStateException if the job has not failed as often as it was to
     */
    public synchronized void checkFailed() {
        if (failuresDue > 0) {
            throw new IllegalStateException(
                    "The job was to fail " + failuresDue + " more times, and has not");
        }
    }

    /** The job has ended: nobody needs to wait for what it would have found. */
    public synchronized void ended(Throwable cause) {
        failure = cause;
        notifyAll();
    }

    /** Why the job has ended, or is about to. */
    public synchronized Throwable failureOr(Throwable other) {
        return failure == null ? other : failure;
    }

    /** What the last audits found, by operator and key. */
    public synchronized Map<String, String> content() {
        return findings.content(cast.keys());
    }

    // ---- for the job ----

    /**
     * Waits until the round may be sent.
     *
     * @return false if the source is to end
     */
    synchronized boolean awaitRound(int round, BooleanSupplier on) throws InterruptedException {
        while (on.getAsBoolean() && round >= allowed) {
            wait();
        }
        return on.getAsBoolean();
    }

    synchronized void sent(int round) {
        sent.merge(round, 1, Integer::sum);
        notifyAll();
    }

    synchronized boolean hasFinished(int lane) {
        return cast == Cast.EVERY_STATE_OF_ODD_LANES && lane % 2 == 0;
    }

    synchronized void sourceSnapshot() {
        snapshotsToRelease = Math.max(0, snapshotsToRelease - 1);
        notifyAll();
    }

    /** Waits while the job is held. */
    synchronized void awaitPassage() throws InterruptedException {
        while (snapshotsToRelease > 0) {
            wait();
        }
    }

    synchronized void wakeUp() {
        notifyAll();
    }

    synchronized void failIfDue() {
        if (failuresDue > 0) {
            failuresDue--;
            failed++;
            findings.forgetAudits();
            throw new PlannedFailure();
        }
    }

    /** Of the task's present attempt: one that a failure has ended may still be at work. */
    synchronized void audited(
            TaskInfo task, String operator, String key, int round, String content) {
        if (task.getAttemptNumber() >= failed) {
            findings.audited(operator, key, round, content);
            notifyAll();
        }
    }

    synchronized void fired(String operator, String window, String content) {
        findings.fired(operator, window, content);
        notifyAll();
    }

    /** Ends an attempt of the job because a leg wants it to. */
    private static final class PlannedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        PlannedFailure() {
            super("A failure that the leg has planned");
        }
    }
}
