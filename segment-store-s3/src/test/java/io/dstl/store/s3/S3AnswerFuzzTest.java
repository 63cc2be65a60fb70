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

import com.sun.net.httpserver.HttpExchange;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.DeletionOutcome;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.testkit.FuzzRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Answers that are damaged at random, or made by somebody who is no S3: a put, a read, a deletion
 * succeeds or fails as documented, with a bounded amount of memory.
 */
class S3AnswerFuzzTest {

    private static final int SEEDS = 40;

    /** Of the requests of one case, with answers of 2 MiB among them. */
    private static final long MEMORY = 64 << 20;

    private static final int[] STATUS = {
        200, 200, 200, 204, 206, 301, 307, 400, 400, 403, 404, 405, 409, 416, 429, 500, 501, 503
    };

    private static final int LARGE = 2 << 20;

    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();
    private final SegmentStore store = loopback.store(new JobID(1, 2));

    @Test
    void aPutSucceedsOrFails() {
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    answerAnyhow(run);
                    FuzzRun.read(MEMORY, IOException.class, () -> put("one"));
                });
    }

    @Test
    void aReadEndsOrFails() throws Exception {
        StreamStateHandle segment = put("one");
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    answerAnyhow(run);
                    FuzzRun.read(
                            MEMORY,
                            IOException.class,
                            () -> {
                                try (FSDataInputStream content = store.open(segment)) {
                                    return content.readNBytes(new byte[100], 0, 100);
                                }
                            });
                });
    }

    @Test
    void aDeletionSaysOfEachWhetherItFailed() throws Exception {
        List<StreamStateHandle> segments = List.of(put("one"), put("other"));
        FuzzRun.forSeeds(
                SEEDS,
                run -> {
                    answerAnyhow(run);
                    DeletionOutcome outcome =
                            FuzzRun.read(
                                    MEMORY, IOException.class, () -> store.deleteAll(segments));
                    if (outcome != null && !segments.containsAll(outcome.failures().keySet())) {
                        throw new AssertionError(outcome.failures());
                    }
                });
    }

    private FileStateHandle put(String name) throws Exception {
        try {
            return store.put(name, out -> out.write(new byte[100]), PutListener.NONE).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        }
    }

    /** One to three times; then as it should be. */
    private void answerAnyhow(FuzzRun run) {
        server.clearNext();
        for (int i = run.random().nextInt(3); i >= 0; i--) {
            Random random = new Random(run.random().nextLong());
            byte[] text = run.damage(text(random).getBytes(StandardCharsets.UTF_8));
            server.next(exchange -> answer(exchange, random, text));
        }
    }

    private static String text(Random random) {
        String object = "<Key>a/base/" + new JobID(1, 2) + "/dstl/one</Key>";
        switch (random.nextInt(5)) {
            case 0:
                return LoopbackS3.deleteResult("<Deleted>" + object + "</Deleted>");
            case 1:
                return LoopbackS3.deleteResult(
                        "<Error>" + object + "<Code>SlowDown</Code><Message>m</Message></Error>");
            case 2:
                return "<Error><Code>AuthorizationHeaderMalformed</Code><Message>m</Message>"
                        + "<Region>eu-west-1</Region></Error>";
            case 3:
                return "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bbbbbbbbbbbbbbbb\">"
                        + "<!ENTITY c SYSTEM \"file:///etc/passwd\">]><Error><Code>&b;&c;</Code>"
                        + "</Error>";
            default:
                return "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>";
        }
    }

    private static void answer(HttpExchange exchange, Random random, byte[] text)
            throws IOException {
        exchange.getRequestBody().readAllBytes();
        if (random.nextInt(3) == 0) {
            exchange.getResponseHeaders().add("x-amz-bucket-region", "r" + random.nextInt(9));
        }
        if (random.nextInt(4) == 0) {
            exchange.getResponseHeaders().add("Content-Range", "bytes 9-" + random.nextLong());
        }
        int status = STATUS[random.nextInt(STATUS.length)];
        boolean large = random.nextInt(20) == 0;
        boolean none = status == 204 || text.length == 0;
        // Zero: in chunks. More than comes: the connection breaks.
        long length = random.nextInt(3) * (long) text.length;
        exchange.sendResponseHeaders(status, none ? -1 : large ? 0 : length);
        if (none) {
            return;
        }
        int written = length == 0 || large ? text.length : (int) Math.min(length, text.length);
        exchange.getResponseBody().write(text, 0, written);
        for (int i = 0; large && i < LARGE / text.length; i++) {
            exchange.getResponseBody().write(text);
        }
        exchange.getResponseBody().flush();
    }
}
