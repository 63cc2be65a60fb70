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
import io.dstl.store.SegmentDeletion.DeletionOutcome;
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
 * <p>Not every store of S3's kind knows the latter. Where one refuses it as a whole, or does not
 * say what became of the objects, they are deleted one by one; if that succeeds where the request
 * for all of them did not, {@link DeletionBatching} has it that it is not sent any more, or not for
 * some time.
 *
 * <p>Does not retry. <b>Threading.</b> Any thread; blocks.
 */
final class S3Deletions {

    /** What S3 takes in one request. */
    static final int MAX_BATCH = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(S3Deletions.class);

    private final S3Client client;
    private final DeletionBatching batching;

    S3Deletions(S3Client client, DeletionBatching batching) {
        this.client = client;
        this.batching = batching;
    }

    /** How many objects {@link #deleteAll} deletes with one request: 1 where the store can't. */
    int batchSize() {
        return batching.isOn() ? MAX_BATCH : 1;
    }

    /** Deleting an object that is gone is no failure. */
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

    /** Some objects on their way out, once. One thread. */
    private final class Round {

        private final List<S3Object> objects;

        /** Sent so far. */
        private int requests;

        private Round(List<S3Object> objects) {
            this.objects = objects;
        }

        private void delete(S3Object object) throws IOException {
            try (Response answer = send(() -> client.delete(object), object)) {
                if (!answer.isSuccessful()) {
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

        /** A store that refuses the first of them as well is not asked for each of the others. */
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

        /** Once more where the answer tells the region that the bucket is in. */
        private Response send(Request request, S3Object object) throws IOException {
            Response answer = execute(request);
            if (client.learnsRegion(object, answer)) {
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
     * Whether a store is asked to delete several objects with one request. Not any more once it has
     * said that it does not know the request; and not for ten minutes after an answer that leaves
     * open what became of it, as something between may have given it: a proxy, or a firewall.
     *
     * <p>Says what it does once for each time, and that it goes on pausing at debug level.
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

        /** Whether the last request has not been carried out, and that was said. */
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

        /** A request for several has been carried out. */
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

        /** One by one they were deleted; what the request for several came to is not clear. */
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
