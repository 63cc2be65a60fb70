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
package io.dstl.fs.testing;

import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.DeletionOutcome;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.ThrottledException;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * A store in memory that answers requests in random order, late, never while it stalls, bit by bit
 * over a link that is slow, with errors, with the wish for fewer, after having stored the object or
 * not; and that carries out some requests twice, and some that were given up, also long after their
 * client has seen them end. Deletions, alone or several with one request, fail too, before or after
 * they are carried out. All by the seed of the random.
 */
final class SimulatedStore {

    /** Segments deleted by one request. */
    private static final int BATCH = 4;

    /** How long a request may stray: less than we wait for it. */
    private static final int STRAY_MILLIS = 59_000;

    /** How often a slow link takes some bytes: within the timeout of an attempt. */
    private static final int PIECE_MILLIS = 500;

    /** Of each request over a link that stays slow: longer than all attempts have to begin. */
    private static final int MANY_PIECES = 80;

    private static final int FEW_PIECES = 8;

    private final Random random;
    private final ScheduledExecutorService timer;
    private final Naming naming;
    private final Map<String, byte[]> objects = new TreeMap<>();
    private final List<Request> requests = new ArrayList<>();
    private final Set<String> brought = new TreeSet<>();
    private final Map<String, Integer> strays = new TreeMap<>();
    private boolean calm;
    private boolean stalled;
    private boolean throttling;
    private boolean slow;
    private boolean oneByOne;
    private int faults;

    /**
     * @param timer brings stray requests
     */
    SimulatedStore(Random random, ScheduledExecutorService timer, Naming naming) {
        this.random = random;
        this.timer = timer;
        this.naming = naming;
    }

    /** One put. */
    private final class Request {

        private final Client client;
        private final String name;
        private final SegmentContent content;
        private final PutListener listener;
        private final CompletableFuture<FileStateHandle> answer = new CompletableFuture<>();
        private byte[] sent;
        private int piecesLeft;

        private Request(Client client, String name, SegmentContent content, PutListener listener) {
            this.client = client;
            this.name = name;
            this.content = content;
            this.listener = listener;
        }

        private void goOn() {
            if (client.frozen) {
                return;
            }
            if (sent == null) {
                begin();
            } else if (piecesLeft > 0 && answer.isDone() && naming == Naming.REPLACES) {
                end();
            } else if (isOnItsWay()) {
                return;
            } else if (!stalled) {
                carryOut();
            }
        }

        private void begin() {
            if (answer.isDone()) {
                end();
                return;
            }
            listener.begun();
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                content.writeTo(bytes);
                sent = bytes.toByteArray();
                if (slow) {
                    piecesLeft = calm ? MANY_PIECES : 1 + random.nextInt(FEW_PIECES);
                    nextPiece();
                }
            } catch (IOException e) {
                refuse(e);
            }
        }

        private void nextPiece() {
            timer.schedule(
                    () -> {
                        piecesLeft--;
                        if (requests.contains(this)) {
                            listener.progressed();
                            if (piecesLeft > 0) {
                                nextPiece();
                            }
                        }
                    },
                    PIECE_MILLIS,
                    TimeUnit.MILLISECONDS);
        }

        /** Nothing happens to it but by time. */
        private boolean isOnItsWay() {
            return piecesLeft > 0 && !(answer.isDone() && naming == Naming.REPLACES);
        }

        private void carryOut() {
            int kind = calm ? 99 : random.nextInt(100);
            if (kind < 20) {
                return;
            } else if (kind < 60 && answer.isDone() && naming == Naming.REPLACES) {
                stray();
                end();
            } else if (throttling || kind < 25) {
                listener.notStored();
                refuse(new ThrottledException("injected: 503", null));
            } else if (kind < 35) {
                refuse(new IOException("injected: before it is stored"));
            } else if (kind < 38 && naming == Naming.REPLACES) {
                stray();
                refuse(new IOException("injected: reset, and stored later"));
            } else if (kind < 42) {
                store();
                refuse(new IOException("injected: stored, and the answer lost"));
            } else if (kind < 43) {
                refuse(new AssertionError("injected: an Error"));
            } else {
                succeed(kind < 60);
            }
        }

        private void refuse(Throwable cause) {
            faults++;
            answer.completeExceptionally(cause);
            leaveNothingOfAFailure();
            end();
        }

        /**
         * @param again whether it is carried out once more, later
         */
        private void succeed(boolean again) {
            store();
            boolean wanted = answer.complete(new Handle(name, sent.length));
            if (!wanted) {
                leaveNothingOfAFailure();
            }
            if (!again || naming == Naming.WRITE_ONCE) {
                end();
            }
        }

        private void store() {
            if (naming == Naming.WRITE_ONCE && objects.containsKey(name)) {
                throw new AssertionError("written twice: " + name);
            }
            objects.put(name, sent);
        }

        /** Its client sees it end; it is carried out later all the same. */
        private void stray() {
            strays.merge(name, 1, Integer::sum);
            timer.schedule(
                    () -> {
                        strays.merge(name, -1, Integer::sum);
                        store();
                    },
                    random.nextInt(STRAY_MILLIS),
                    TimeUnit.MILLISECONDS);
        }

        private void leaveNothingOfAFailure() {
            if (naming == Naming.WRITE_ONCE) {
                objects.remove(name);
            }
        }

        private void end() {
            requests.remove(this);
            listener.ended();
        }
    }

    /** As the JobManager has it: deletes without asking anybody. */
    private final class Handle extends FileStateHandle {

        private Handle(String name, long bytes) {
            super(new Path("memory/" + name), bytes);
        }

        @Override
        public void discardState() {
            String name = getFilePath().getName();
            if (isOpen(name)) {
                brought.add(name);
            }
            objects.remove(name);
        }
    }

    private boolean isOpen(String name) {
        return strays.getOrDefault(name, 0) > 0
                || requests.stream().anyMatch(request -> request.name.equals(name));
    }

    /** Goes on with one request, if there is one. */
    void runOne() {
        if (!requests.isEmpty()) {
            requests.get(random.nextInt(requests.size())).goOn();
        }
    }

    /** All that goes on without time, but for requests of frozen clients. */
    void runAll() {
        while (requests.stream()
                .anyMatch(request -> !request.isOnItsWay() && !request.client.frozen)) {
            runOne();
        }
    }

    /** Changes the weather: into a stall, throttling, a slow link, or fair; mostly fair. */
    void changeWeather() {
        int kind = random.nextInt(10);
        stalled = kind == 0;
        throttling = kind == 1;
        slow = kind == 2;
    }

    /**
     * From now on all requests succeed.
     *
     * @param overASlowLink whether each takes longer than all attempts have to begin
     */
    void calmDown(boolean overASlowLink) {
        calm = true;
        stalled = false;
        throttling = false;
        slow = overASlowLink;
    }

    /** From now on there are faults again. */
    void stirUp() {
        calm = false;
    }

    /** Requests that failed by intention. */
    int faults() {
        return faults;
    }

    Set<String> names() {
        return new TreeSet<>(objects.keySet());
    }

    /** Names that the JobManager deleted while a request was under way: nobody waits for it. */
    Set<String> maybeBroughtBack() {
        return brought;
    }

    /** The store as one process sees it. */
    Client client() {
        return new Client();
    }

    final class Client implements SegmentStore {

        private boolean frozen;

        /** The process stands still, or goes on. */
        void freeze(boolean whether) {
            frozen = whether;
        }

        @Override
        public Naming naming() {
            return naming;
        }

        @Override
        public CompletableFuture<FileStateHandle> put(
                String name, SegmentContent content, PutListener listener) {
            Request request = new Request(this, name, content, listener);
            requests.add(request);
            return request.answer;
        }

        @Override
        public FSDataInputStream open(StreamStateHandle segment) throws IOException {
            String name = ((FileStateHandle) segment).getFilePath().getName();
            byte[] bytes = objects.get(name);
            if (bytes == null) {
                throw new FileNotFoundException(name);
            }
            return new ByteStreamStateHandle(name, bytes).openInputStream();
        }

        /** A stray request outlives the segment: nobody waits for it. */
        @Override
        public void delete(StreamStateHandle segment) throws IOException {
            String name = ((FileStateHandle) segment).getFilePath().getName();
            if (strays.getOrDefault(name, 0) > 0) {
                brought.add(name);
            }
            remove(name);
        }

        /** Where a put replaces, until the store turns out not to know it. */
        @Override
        public int batchSize() {
            return naming == Naming.REPLACES && !oneByOne ? BATCH : 1;
        }

        /** One request, which fails as a whole, or for some of them, or is not known. */
        @Override
        public DeletionOutcome<StreamStateHandle> deleteAll(
                Collection<StreamStateHandle> segments) {
            if (segments.size() > BATCH) {
                throw new AssertionError("Too many for one request: " + segments.size());
            }
            int kind = calm ? 99 : random.nextInt(100);
            oneByOne |= kind == 0;
            Map<StreamStateHandle, IOException> failures = new HashMap<>();
            if (kind > 20 || oneByOne) {
                failures.putAll(SegmentStore.super.deleteAll(segments).failures());
            } else {
                faults++;
                IOException together = new IOException("injected: none deleted");
                segments.forEach(segment -> failures.put(segment, together));
            }
            return new DeletionOutcome<>(failures, 1);
        }

        @Override
        public void discard(String name) throws IOException {
            remove(name);
        }
    }

    private void remove(String name) throws IOException {
        int kind = calm ? 99 : random.nextInt(100);
        if (stalled || kind < 30) {
            faults++;
            throw new IOException("injected: not deleted");
        }
        objects.remove(name);
        if (kind < 40) {
            faults++;
            throw new IOException("injected: deleted, and the answer lost");
        }
    }
}
