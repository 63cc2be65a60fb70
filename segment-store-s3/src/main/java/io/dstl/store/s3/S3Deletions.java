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
package io.dstl.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.SegmentStore.DeletionOutcome;
import io.dstl.store.WallClock;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Response;
import okio.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects: one by a DELETE, several of a bucket by one POST ({@code DeleteObjects}).
 *
 * <p>Not every store with S3's protocol supports the POST. If a store refuses it as a whole, or
 * does not report the fate of the objects, they are deleted one by one. If that succeeds, {@link
 * DeletionBatching} turns the POST off, for good or for some time.
 *
 * <p>Does not retry. <b>Threading.</b> Any thread; blocks.
 */
final class S3Deletions {

    /** The most that S3 takes in one request. */
    static final int MAX_BATCH = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(S3Deletions.class);

    private final S3Client client;
    private final DeletionBatching batching;

    S3Deletions(S3Client client, DeletionBatching batching) {
        this.client = client;
        this.batching = batching;
    }

    /** How many objects {@link #deleteAll} deletes with one request: 1 if the store can't. */
    int batchSize() {
        return batching.isOn() ? MAX_BATCH : 1;
    }

    /** Deleting a missing object is no failure. */
    void delete(S3Object object) throws IOException {
        new Round(Collections.singletonList(object)).delete(object);
    }

    /**
     * Deletes several, of one bucket.
     *
     * @param objects at least one, at most {@link #MAX_BATCH}
     */
    DeletionOutcome<S3Object> deleteAll(List<S3Object> objects) {
        Round round = new Round(objects);
        Map<S3Object, IOException> failures = round.deleteAll();
        return new DeletionOutcome<>(failures, round.requests);
    }

    /** One deletion of some objects. One thread. */
    private final class Round {

        private final List<S3Object> objects;

        /** Requests sent so far. */
        private int requests;

        private Round(List<S3Object> objects) {
            this.objects = objects;
        }

        private void delete(S3Object object) throws IOException {
            try (Response answer = send(() -> client.delete(object), object)) {
                if (!S3Failures.isDeleted(answer)) {
                    throw S3Failures.of("delete", object, answer);
                }
            } catch (FileNotFoundException e) {
                LOG.trace("{} is gone already", object, e);
            }
        }

        private Map<S3Object, IOException> deleteAll() {
            if (!batching.isOn()) {
                return deleteEach(objects);
            }
            try {
                Map<S3Object, IOException> failures = request();
                batching.worked();
                return failures;
            } catch (DeleteObjects.NotCarriedOutException e) {
                return deleteEachInstead(e);
            } catch (IOException e) {
                return ofEach(e);
            }
        }

        private Map<S3Object, IOException> ofEach(IOException failure) {
            Map<S3Object, IOException> failures = new HashMap<>();
            objects.forEach(object -> failures.put(object, failure));
            return failures;
        }

        private Map<S3Object, IOException> request() throws IOException {
            S3Object first = objects.get(0);
            ByteString list = DeleteObjects.list(objects);
            try (Response answer = send(() -> client.deleteAll(first.bucket(), list), first)) {
                if (client.awaitsCredentials(answer)) {
                    // It says nothing of requests for several objects.
                    throw client.failure(DeleteObjects.operation(objects), first, answer);
                }
                return DeleteObjects.failures(objects, answer);
            }
        }

        private Map<S3Object, IOException> deleteEach(List<S3Object> each) {
            Map<S3Object, IOException> failures = new HashMap<>();
            for (S3Object object : each) {
                try {
                    delete(object);
                } catch (IOException e) {
                    failures.put(object, e);
                }
            }
            return failures;
        }

        /** If the store refuses the first object as well, the others are not tried. */
        private Map<S3Object, IOException> deleteEachInstead(
                DeleteObjects.NotCarriedOutException reason) {
            try {
                delete(objects.get(0));
            } catch (IOException e) {
                e.addSuppressed(reason);
                return ofEach(e);
            }
            if (reason.isUnknown()) {
                batching.unknown(reason.getMessage());
            } else {
                batching.unclear(reason.getMessage());
            }
            return deleteEach(objects.subList(1, objects.size()));
        }

        /** Sends again if the answer tells that the request has to be signed otherwise. */
        private Response send(Request request, S3Object object) throws IOException {
            Response answer = execute(request);
            if (client.learnsToSign(object, answer)) {
                answer.close();
                return execute(request);
            }
            return answer;
        }

        private Response execute(Request request) throws IOException {
            Call call = request.call();
            requests++;
            return call.execute();
        }
    }

    private interface Request {
        Call call() throws IOException;
    }

    /**
     * Whether to delete several objects with one request. Off for good once the store has answered
     * that it does not know the request; off for ten minutes after an unclear answer, which a proxy
     * or a firewall may have given.
     *
     * <p>Logs each change once; logs a prolonged pause at debug level.
     *
     * <p><b>Threading.</b> Any thread.
     */
    static final class DeletionBatching {

        static final Duration PAUSE = Duration.ofMinutes(10);

        private static final Logger LOG = LoggerFactory.getLogger(DeletionBatching.class);

        private final WallClock clock;

        @GuardedBy("this")
        private boolean unknown;

        @GuardedBy("this")
        private Optional<Instant> pausedAt = Optional.empty();

        /** Whether the last request has not been carried out, and that was logged. */
        @GuardedBy("this")
        private boolean said;

        DeletionBatching(WallClock clock) {
            this.clock = clock;
        }

        synchronized boolean isOn() {
            return !unknown && !pausedAt.filter(this::isRecent).isPresent();
        }

        /** The clock may be set back: that must not make a pause longer. */
        private boolean isRecent(Instant begin) {
            Instant now = clock.now();
            return !now.isBefore(begin) && now.isBefore(begin.plus(PAUSE));
        }

        /** A request for several objects has been carried out. */
        synchronized void worked() {
            said = false;
            pausedAt = Optional.empty();
        }

        /** The store does not know the request. */
        synchronized void unknown(String answer) {
            if (!unknown) {
                unknown = true;
                LOG.info(
                        "The store does not delete several objects with one request, so each takes one"
                                + " of its own: {}",
                        answer);
            }
        }

        /** Objects were deleted one by one, after an unclear answer to the request for several. */
        synchronized void unclear(String answer) {
            pausedAt = Optional.of(clock.now());
            if (said) {
                LOG.debug("Several objects are deleted one by one for longer: {}", answer);
            } else {
                said = true;
                LOG.info(
                        "A request to delete several objects was not carried out, so each takes one of"
                                + " its own for {} minutes, and then it is tried again: {}",
                        PAUSE.toMinutes(),
                        answer);
            }
        }
    }
}
