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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.Cleanups;
import io.dstl.store.PutContext;
import io.dstl.store.PutObserver;
import io.dstl.store.PutRules;
import io.dstl.store.RefusedException;
import io.dstl.store.RetrySettings;
import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.ThrottledException;
import io.dstl.store.s3.LoopbackS3.Answer;
import io.dstl.store.testing.CountedNames;
import io.dstl.testkit.ManualTimer;
import io.minio.credentials.StaticProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several segments deleted by one request, and by stores that don't know it. */
class DirectDeleteTest {

    private static final JobID JOB = new JobID(1, 2);

    private static final String DIRECTORY = "a/base/" + JOB.toHexString() + "/dstl/";

    @RegisterExtension private final LoopbackStore loopback = new LoopbackStore();
    private final LoopbackS3 server = loopback.server();
    private SegmentStore store = loopback.store(JOB);

    private List<StreamStateHandle> stored(String... names) throws Exception {
        List<StreamStateHandle> segments = new ArrayList<>();
        for (String name : names) {
            segments.add(store.put(name, out -> out.write(1), PutListener.NONE).get());
        }
        return segments;
    }

    /** What was asked of the server since so many objects were stored. */
    private List<String> requestsAfter(int puts) {
        return server.requests().subList(puts, server.requests().size());
    }

    private static String delete(String name) {
        return "DELETE /bucket/" + DIRECTORY + name;
    }

    private static String key(String name) {
        return "<Key>" + DIRECTORY + name + "</Key>";
    }

    @Test
    void takesOneRequestForSeveral() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other", "third");
        assertThat(store.batchSize()).isEqualTo(1000);

        assertThat(store.deleteAll(segments).failures()).isEmpty();

        assertThat(requestsAfter(3)).containsExactly("POST /bucket");
        assertThat(server.objects()).isEmpty();
    }

    @Test
    void sendsWhatS3AsksFor() throws Exception {
        store.deleteAll(stored("one", "other"));

        byte[] list = server.lists().get(0);
        assertThat(new String(list, StandardCharsets.UTF_8))
                .contains("<Object><Key>" + DIRECTORY + "one</Key></Object>")
                .contains("<Object><Key>" + DIRECTORY + "other</Key></Object>")
                .contains("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        Map<String, List<String>> headers = server.headers(2);
        assertThat(headers.get("Content-md5"))
                .containsExactly(
                        Base64.getEncoder()
                                .encodeToString(MessageDigest.getInstance("MD5").digest(list)));
        assertThat(headers.get("X-amz-content-sha256")).containsExactly(sha256(list));
        assertThat(headers.get("Authorization").get(0))
                .contains("content-md5")
                .contains("AKIDSECRET/20260102/us-east-1/s3/aws4_request");
    }

    private static String sha256(byte[] bytes) throws Exception {
        StringBuilder hex = new StringBuilder();
        for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes)) {
            hex.append(String.format("%02x", b));
        }
        return hex.toString();
    }

    @Test
    void namesWithOddCharactersGo() throws Exception {
        store = loopback.store(loopback.configuration(), "s3://bucket/ä b+c=d%e&<f>'\"", JOB);
        List<StreamStateHandle> segments = stored("one", "other");

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(server.objects()).isEmpty();
    }

    @Test
    void tellsWhichItFailedFor() throws Exception {
        List<StreamStateHandle> segments =
                stored("deleted", "denied", "slow", "gone", "broken", "unsaid");
        server.next(
                result(
                        deleted("deleted")
                                + error("denied", "AccessDenied")
                                + error("slow", "SlowDown")
                                + error("gone", "NoSuchKey")
                                + error("broken", "InternalError")));

        Map<StreamStateHandle, IOException> failures = store.deleteAll(segments).failures();

        assertThat(failures)
                .containsOnlyKeys(
                        segments.get(1), segments.get(2), segments.get(4), segments.get(5));
        assertThat(failures.get(segments.get(1)))
                .isInstanceOf(RefusedException.class)
                .hasMessage(
                        "Could not delete bucket/%sdenied, one of several:"
                                + " S3 answered AccessDenied, as told",
                        DIRECTORY);
        assertThat(failures.get(segments.get(2))).isInstanceOf(ThrottledException.class);
        assertThat(failures.get(segments.get(4))).hasMessageContaining("InternalError");
        assertThat(failures.get(segments.get(5)))
                .hasMessage("S3 did not say whether it deleted bucket/%sunsaid", DIRECTORY);
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    @Test
    void showsTheAnswerAboutEachAsItIs() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        String part = error("one", "InternalError").replace("as told", "${PATH} ${java.home}");
        server.next(result(part));

        assertThat(store.deleteAll(segments).failures().get(segments.get(0)))
                .hasMessageEndingWith("S3 answered InternalError, ${PATH} ${java.home}");
    }

    private static Answer result(String content) {
        return LoopbackS3.answer(200, LoopbackS3.deleteResult(content));
    }

    private static String deleted(String name) {
        return "<Deleted>" + key(name) + "</Deleted>";
    }

    private static String error(String name, String code) {
        return "<Error>"
                + key(name)
                + "<Code>"
                + code
                + "</Code><Message>as told</Message></Error>";
    }

    /** As of a load balancer without a backend. */
    @Test
    void aPageThatSaysNotFoundDeletesNothing() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(3, LoopbackS3.answer(404, "404 page not found"));

        assertThatThrownBy(() -> store.delete(segments.get(0)))
                .hasMessageContaining("not from S3 itself");
        assertThat(store.deleteAll(segments).failures()).containsOnlyKeys(segments);
        assertThat(requestsAfter(2))
                .as("one, several, and one to see whether that works")
                .containsExactly(delete("one"), "POST /bucket", delete("one"));
        assertThat(server.objects()).hasSize(2);
    }

    @Test
    void aPageThatSaysNotFoundToSeveralOnlyLeadsToOneByOne() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(LoopbackS3.answer(404, "404 page not found"));

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(server.objects()).isEmpty();
    }

    /** Fewer of them may go. */
    @Test
    void thoseThatAreTooManyFailTogether() throws Exception {
        List<StreamStateHandle> segments = stored("slow", "deleted", "slower");
        server.next(
                result(
                        deleted("deleted")
                                + error("slow", "SlowDown")
                                + error("slower", "SlowDown")));

        Map<StreamStateHandle, IOException> failures = store.deleteAll(segments).failures();

        assertThat(failures).containsOnlyKeys(segments.get(0), segments.get(2));
        assertThat(failures.get(segments.get(0))).isSameAs(failures.get(segments.get(2)));
    }

    @ParameterizedTest
    @CsvSource({
        "501, NotImplemented",
        "501, Anything",
        "405, MethodNotAllowed",
        "405, Anything",
        "400, MalformedXML",
        "400, NotImplemented",
        "200, NotImplemented"
    })
    void deletesOneByOneWhereTheStoreKnowsNoRequestForSeveral(int status, String code)
            throws Exception {
        deletesOneByOneAfter(LoopbackS3.error(status, code));
        assertThat(store.batchSize()).isEqualTo(1);

        // And does not ask again.
        loopback.advance(Duration.ofDays(1));
        assertThat(store.batchSize()).isEqualTo(1);
        assertThat(store.deleteAll(stored("third", "fourth")).failures()).isEmpty();
        assertThat(requestsAfter(7)).containsExactly(delete("third"), delete("fourth"));
    }

    @ParameterizedTest
    @CsvSource({
        "400, InvalidRequest",
        "400, ExpiredToken",
        "404, NoSuchKey",
        "403, AccessDenied",
        "200, AccessDenied",
    })
    void deletesOneByOneForAWhileWhereTheRequestIsRefused(int status, String code)
            throws Exception {
        deletesOneByOneAfter(LoopbackS3.error(status, code));
        goesOneByOneForTenMinutes();
    }

    /** As what may pass: the service gives others in a while. */
    @Test
    void aRefusalOfCredentialsThatAreRenewedSaysNothingOfTheStore() throws Exception {
        store =
                loopback.store(
                        new StaticProvider("AKIDSECRET", "very-secret", "token"),
                        LoopbackStore.refusals(true),
                        JOB);
        whatMayPassFailsAllOfThemAndNothingElse(400, "ExpiredToken");
    }

    /** Of another kind of store, or of something on the way to it. */
    @ParameterizedTest
    @CsvSource({"''", "<html>It works!</html>", "{}", "<Errors></Errors>"})
    void deletesOneByOneForAWhileWhereTheAnswerSaysNothingOfThem(String answer) throws Exception {
        deletesOneByOneAfter(LoopbackS3.answer(200, answer));
        goesOneByOneForTenMinutes();
    }

    private void deletesOneByOneAfter(Answer answer) throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(answer);

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(requestsAfter(2))
                .containsExactly("POST /bucket", delete("one"), delete("other"));
    }

    private void goesOneByOneForTenMinutes() throws Exception {
        assertThat(store.batchSize()).isEqualTo(1);
        loopback.advance(Duration.ofMinutes(10).minusMillis(1));
        assertThat(store.batchSize()).isEqualTo(1);
        int before = server.requests().size() + 2;
        assertThat(store.deleteAll(stored("third", "fourth")).failures()).isEmpty();
        assertThat(requestsAfter(before)).containsExactly(delete("third"), delete("fourth"));

        loopback.advance(Duration.ofMillis(1));
        assertThat(store.batchSize()).isEqualTo(1000);
        before = server.requests().size() + 2;
        assertThat(store.deleteAll(stored("fifth", "sixth")).failures()).isEmpty();
        assertThat(requestsAfter(before)).containsExactly("POST /bucket");
        assertThat(server.objects()).isEmpty();
    }

    @Test
    void aClockSetBackMakesItNoLonger() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(LoopbackS3.error(403, "AccessDenied"));
        store.deleteAll(segments);
        assertThat(store.batchSize()).isEqualTo(1);

        loopback.advance(Duration.ofHours(-1));
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    /** As well as of a request that the store does not know: so it is asked again the next time. */
    @Test
    void aRefusalOfSingleDeletionsIsOneOfThePermission() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(2, LoopbackS3.error(403, "AccessDenied"));

        Map<StreamStateHandle, IOException> failures = store.deleteAll(segments).failures();

        assertThat(failures).containsOnlyKeys(segments);
        assertThat(failures.values())
                .allSatisfy(failure -> assertThat(failure).isInstanceOf(RefusedException.class));
        assertThat(requestsAfter(2)).containsExactly("POST /bucket", delete("one"));
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    @ParameterizedTest
    @CsvSource({
        "503, SlowDown",
        "500, InternalError",
        "400, RequestTimeout",
        "200, InternalError",
        "200, SlowDown",
        "200, ServiceUnavailable"
    })
    void whatMayPassFailsAllOfThemAndNothingElse(int status, String code) throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(LoopbackS3.error(status, code));

        Map<StreamStateHandle, IOException> failures = store.deleteAll(segments).failures();

        assertThat(failures).containsOnlyKeys(segments);
        assertThat(failures.get(segments.get(0)))
                .hasMessageContaining("Could not delete 2 objects, the first bucket/" + DIRECTORY)
                .hasMessageContaining(code)
                .hasMessageNotContaining("AKIDSECRET")
                .isSameAs(failures.get(segments.get(1)));
        assertThat(requestsAfter(2)).containsExactly("POST /bucket");
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    @Test
    void anAnswerThatBreaksOffSaysNothingOfTheStore() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        byte[] whole = LoopbackS3.deleteResult(deleted("one")).getBytes(StandardCharsets.UTF_8);
        server.next(LoopbackS3.cutOff(200, whole.length, Arrays.copyOf(whole, whole.length / 2)));

        assertThat(store.deleteAll(segments).failures()).containsOnlyKeys(segments);
        assertThat(requestsAfter(2)).containsExactly("POST /bucket");
        assertThat(store.batchSize()).isEqualTo(1000);
    }

    @Test
    void believesTheStoreWhereABucketIs() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.next(LoopbackS3.error(400, "AuthorizationHeaderMalformed").inRegion("eu-west-1"));

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(requestsAfter(2)).containsExactly("POST /bucket", "POST /bucket");
        assertThat(server.headers(3).get("Authorization").get(0)).contains("/eu-west-1/s3/");
    }

    @Test
    void takesARequestForEachBucketAndTheHandleForWhatIsElsewhere() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        segments.add(new FileStateHandle(new Path("s3://elsewhere/third"), 1));
        Elsewhere elsewhere = new Elsewhere();
        segments.add(elsewhere);

        assertThat(store.deleteAll(segments).failures()).isEmpty();
        assertThat(requestsAfter(2)).containsExactly("POST /bucket", "POST /elsewhere");
        assertThat(elsewhere.discarded).isTrue();
    }

    private static final class Elsewhere extends FileStateHandle {

        private boolean discarded;

        private Elsewhere() {
            super(new Path("file:///elsewhere"), 1);
        }

        @Override
        public void discardState() {
            discarded = true;
        }
    }

    @Test
    void countsRequestsAsTheyAreMade() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        PutObserver meter =
                new PutObserver() {
                    @Override
                    public void requestBegun() {
                        requests.incrementAndGet();
                    }

                    @Override
                    public void otherRequests(int sent) {
                        requests.addAndGet(sent);
                    }
                };
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        PutContext metered =
                new PutContext(
                        store,
                        PutRules.of(once, Long.MAX_VALUE, () -> 0.5, () -> 0, meter),
                        new ManualTimer(),
                        new CountedNames("more-"),
                        new Cleanups(Runnable::run, new ManualTimer()),
                        meter);
        metered.deleteBatch(stored("one", "other"));
        assertThat(requests.get()).isEqualTo(1);

        List<StreamStateHandle> others = stored("third", "fourth");
        others.add(new FileStateHandle(new Path("s3://elsewhere/fifth"), 1));
        metered.deleteBatch(others);
        assertThat(requests.get()).isEqualTo(3);

        List<StreamStateHandle> unknown = stored("sixth", "seventh");
        List<StreamStateHandle> later = stored("eighth", "ninth");
        server.next(LoopbackS3.error(501, "NotImplemented"));
        metered.deleteBatch(unknown);
        assertThat(requests.get()).isEqualTo(6);

        // Gathered before that was known.
        metered.deleteBatch(later);
        assertThat(requests.get()).isEqualTo(8);
    }

    @Test
    void aStoreThatCannotBeReachedFailsAll() throws Exception {
        List<StreamStateHandle> segments = stored("one", "other");
        server.close();

        assertThat(store.deleteAll(segments).failures()).containsOnlyKeys(segments);
        assertThatThrownBy(() -> store.delete(segments.get(0))).isInstanceOf(IOException.class);
    }
}
