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

import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.FileUploads;
import io.dstl.store.LateRequests;
import io.dstl.store.SegmentDirectory;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentStore;
import io.dstl.store.StoreProvider;
import io.dstl.store.WallClock;
import io.dstl.store.s3.auth.RenewedCredentials;
import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct access to S3: one client, with its connections, and the stores and openers that use it.
 * Owns the connections, and closes idle ones with itself and busy ones after their end; owns the
 * renewal of the credentials.
 */
final class S3Access implements StoreProvider.Access {

    private static final Logger LOG = LoggerFactory.getLogger(S3Access.class);

    /** More than a TaskManager keeps busy, except in a burst. */
    private static final int MAX_IDLE_CONNECTIONS = 16;

    private static final Duration MAX_IDLE = Duration.ofMinutes(1);

    /** Endpoints already warned of in this process. */
    private static final Set<String> WARNED_OF = ConcurrentHashMap.newKeySet();

    private final S3Settings settings;
    private final OkHttpClient http;
    private final RenewedCredentials credentials;
    private final S3Client client;
    private final Retries retries;
    private final Redaction redaction;

    private S3Access(
            S3Settings settings,
            OkHttpClient http,
            RenewedCredentials credentials,
            S3Client client,
            Retries retries,
            Redaction redaction) {
        this.settings = settings;
        this.http = http;
        this.credentials = credentials;
        this.client = client;
        this.retries = retries;
        this.redaction = redaction;
    }

    static S3Access open(
            S3Settings settings,
            ExecutorService requests,
            ScheduledExecutorService timer,
            WallClock clock,
            Retries retries,
            Redaction redaction) {
        warnOfTheWay(settings);
        OkHttpClient http = http(settings, requests);
        StoreClock corrected = new StoreClock(clock);
        RenewedCredentials credentials =
                settings.credentials()
                        .open(http, S3Environment.ofProcess(), corrected::now, timer, requests);
        S3Client client = new S3Client(settings, credentials, credentials, http, corrected);
        return new S3Access(settings, http, credentials, client, retries, redaction);
    }

    private static void warnOfTheWay(S3Settings settings) {
        String endpoint = settings.endpoint().host() + ":" + settings.endpoint().port();
        if (settings.isReadableOnTheWay() && WARNED_OF.add(endpoint)) {
            LOG.warn(
                    "S3 is reached without TLS, at {}: whoever is on the way can read all state, and"
                            + " answer a restore with other bytes. Set s3.endpoint to https://",
                    endpoint);
        }
    }

    /**
     * One request for each connection, so that a slow one does not block others; no redirects, as
     * they would lose the signature.
     */
    static OkHttpClient http(S3Settings settings, ExecutorService requests) {
        Dispatcher dispatcher = new Dispatcher(new RequestThreads(requests));
        dispatcher.setMaxRequests(settings.maxConnections());
        dispatcher.setMaxRequestsPerHost(settings.maxConnections());
        Duration silence = S3Client.silence(settings.socketTimeout());
        OkHttpClient.Builder client = new OkHttpClient.Builder();
        settings.ownCertificate()
                .ifPresent(tls -> client.sslSocketFactory(tls.getSocketFactory(), trusted()));
        return client.dispatcher(dispatcher)
                .addInterceptor(S3Client::tellBegin)
                .connectionPool(
                        new ConnectionPool(
                                Math.min(MAX_IDLE_CONNECTIONS, settings.maxConnections()),
                                MAX_IDLE.toMillis(),
                                TimeUnit.MILLISECONDS))
                .protocols(Collections.singletonList(Protocol.HTTP_1_1))
                .followRedirects(false)
                .followSslRedirects(false)
                .connectTimeout(settings.connectTimeout())
                .readTimeout(silence)
                .writeTimeout(silence)
                .build();
    }

    /** The certificates that the JVM trusts. */
    private static X509TrustManager trusted() {
        try {
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return (X509TrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "Java has no trusted certificates: see" + " javax.net.ssl.trustStore", e);
        }
    }

    @Override
    public SegmentStore store(Path base, JobID job, Executor uploads) {
        SegmentDirectory directory =
                settings.entropyMarker()
                        .map(
                                marker ->
                                        SegmentDirectory.withEntropy(
                                                base, job, marker, settings.entropyLength()))
                        .orElseGet(() -> SegmentDirectory.of(base, job));
        return new DirectSegmentStore(
                client, directory, opener(), uploads, client.clock(), redaction);
    }

    @Override
    public Optional<FileUploads> files(Path base, LateRequests late) {
        return Optional.of(
                new S3Uploads(client, base.toUri().getScheme(), retries, late, redaction));
    }

    @Override
    public SegmentOpener opener() {
        return new DirectOpener(client, new FileSystemOpener(), retries, redaction);
    }

    /** Closes idle connections; those in use are closed a minute after. Renews no credentials. */
    @Override
    public void close() {
        credentials.close();
        http.connectionPool().evictAll();
    }

    /**
     * Opens segments on S3, of any bucket, by its own requests, and others by another opener. The
     * first read sends the request, so that a seek before it costs none.
     */
    static final class DirectOpener implements SegmentOpener {

        private final S3Client client;
        private final SegmentOpener others;
        private final Retries retries;
        private final Redaction redaction;

        DirectOpener(S3Client client, SegmentOpener others, Retries retries, Redaction redaction) {
            this.client = client;
            this.others = others;
            this.retries = retries;
            this.redaction = redaction;
        }

        @Override
        public FSDataInputStream open(StreamStateHandle segment) throws IOException {
            if (!(segment instanceof FileStateHandle)) {
                return others.open(segment);
            }
            FileStateHandle file = (FileStateHandle) segment;
            return S3Object.isReachable(file.getFilePath())
                    ? new RangeInputStream(
                            client,
                            S3Object.of(file.getFilePath()),
                            file.getStateSize(),
                            retries,
                            redaction)
                    : others.open(segment);
        }
    }
}
