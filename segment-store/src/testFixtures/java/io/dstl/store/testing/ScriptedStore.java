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
package io.dstl.store.testing;

import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Keeps segments in memory; each put waits for the test to begin it and to let it succeed or fail.
 * Honours the contract of a put given up; its request can't be aborted.
 */
public final class ScriptedStore implements SegmentStore {

    private static final String PREFIX = "memory/";

    private final Map<String, byte[]> objects = new TreeMap<>();
    private final List<Put> puts = new ArrayList<>();
    private final Naming naming;
    private Consumer<Put> onPut = put -> {};
    private int maxPuts = Integer.MAX_VALUE;

    /** Each name is written once. */
    public ScriptedStore() {
        this(Naming.WRITE_ONCE);
    }

    public ScriptedStore(Naming naming) {
        this.naming = naming;
    }

    /** One put as the test sees it. */
    public final class Put {

        private final String name;
        private final SegmentContent content;
        private final PutListener listener;
        private final CompletableFuture<FileStateHandle> future = new CompletableFuture<>();

        private Put(String name, SegmentContent content, PutListener listener) {
            this.name = PREFIX + name;
            this.content = content;
            this.listener = listener;
        }

        public Put begin() {
            listener.begun();
            return this;
        }

        /** The transport has taken some bytes. */
        public void progress() {
            listener.progressed();
        }

        /** Stores the content, even if the put was given up: as a request that is not aborted. */
        public void succeed() {
            succeed(() -> {});
        }

        /**
         * @param beforeAnswer runs when the content is stored, and nobody knows
         */
        public void succeed(Runnable beforeAnswer) {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                content.writeTo(bytes);
                objects.put(name, bytes.toByteArray());
                beforeAnswer.run();
                if (!future.complete(new FileStateHandle(new Path(name), bytes.size()))
                        && naming == Naming.WRITE_ONCE) {
                    objects.remove(name);
                }
            } catch (IOException e) {
                future.completeExceptionally(e);
            }
            listener.ended();
        }

        public void fail(Throwable cause) {
            try {
                future.completeExceptionally(cause);
            } finally {
                listener.ended();
            }
        }

        /** Fails, and says that nothing is stored. */
        public void refuse(Throwable cause) {
            listener.notStored();
            fail(cause);
        }

        /** Runs when the put is given up, if it is. */
        public void onCancel(Runnable action) {
            future.whenComplete(
                    (segment, error) -> {
                        if (future.isCancelled()) {
                            action.run();
                        }
                    });
        }

        public String name() {
            return name;
        }

        public boolean isCancelled() {
            return future.isCancelled();
        }
    }

    @Override
    public Naming naming() {
        return naming;
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        Put put = new Put(name, content, listener);
        onPut.accept(put);
        puts.add(put);
        return put.future;
    }

    /** Says so, and enforces nothing. */
    public void runsAtMost(int puts) {
        maxPuts = puts;
    }

    @Override
    public int maxPuts() {
        return maxPuts;
    }

    /**
     * @param action sees each further put before it is one; may throw what no store should
     */
    public void onPut(Consumer<Put> action) {
        onPut = action;
    }

    /**
     * @param number in the order of the calls, from 0
     */
    public Put put(int number) {
        return puts.get(number);
    }

    public int puts() {
        return puts.size();
    }

    /** Begins and ends all puts that are open. */
    public void succeedAll() {
        for (Put put : new ArrayList<>(puts)) {
            if (!put.future.isDone()) {
                put.begin();
                put.succeed();
            }
        }
    }

    /** An object is there that no put has answered for. */
    public void add(String name) {
        objects.put(PREFIX + name, new byte[0]);
    }

    /** Names of what is stored. */
    public List<String> objects() {
        return new ArrayList<>(objects.keySet());
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        byte[] bytes = objects.get(name(segment));
        if (bytes == null) {
            throw new FileNotFoundException(name(segment));
        }
        return new ByteStreamStateHandle(name(segment), bytes).openInputStream();
    }

    @Override
    public void delete(StreamStateHandle segment) {
        objects.remove(name(segment));
    }

    @Override
    public void discard(String name) {
        objects.remove(PREFIX + name);
    }

    private static String name(StreamStateHandle segment) {
        return ((FileStateHandle) segment).getFilePath().toString();
    }
}
