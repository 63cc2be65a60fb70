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
package io.dstl.store.s3.auth;

import io.dstl.store.s3.auth.CachedCredentials.TemporaryCredentials;
import io.dstl.store.s3.xml.S3Error;
import io.minio.credentials.Credentials;
import io.minio.credentials.IamAwsProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.ProviderException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import javax.net.SocketFactory;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSource;

/**
 * Asks a service for the temporary credentials of a role. MinIO's provider implements the protocol;
 * this class adds the rules of each request. It goes to the service itself, by no proxy, which
 * would see the credentials. A redirect is followed to the same host only. An answer is read up to
 * a limit. Failures show no address and no answer, but for an error's code and message.
 *
 * <p><b>Threading.</b> Any thread; blocks, 5 s at most to connect and for each part of an answer,
 * and 15 s for each request.
 */
final class RoleRequests {

    /** Metadata services answer at once, or are missing. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Several times the size of an answer with credentials. */
    private static final long MAX_ANSWER_BYTES = 256 * 1024;

    /** The agent of ECS redirects a path that begins with two slashes to the one that it knows. */
    private static final int MAX_REDIRECTS = 3;

    /**
     * Codes of AWS's STS that come with status 400 and may pass: STS could not ask the identity
     * provider, or the token is about to be replaced.
     */
    private static final Set<String> PASSING =
            Set.of(
                    "Throttling",
                    "ThrottlingException",
                    "IDPCommunicationError",
                    "InvalidIdentityToken",
                    "ExpiredTokenException");

    private final OkHttpClient http;

    /**
     * @param http whose connections and threads are used
     */
    RoleRequests(OkHttpClient http) {
        this.http =
                http.newBuilder()
                        .proxy(Proxy.NO_PROXY)
                        .socketFactory(new DirectSockets())
                        .followRedirects(true)
                        .connectTimeout(TIMEOUT)
                        .readTimeout(TIMEOUT)
                        .callTimeout(TIMEOUT.multipliedBy(3))
                        .build();
    }

    /**
     * Asks anew with each call.
     *
     * @param service its address
     * @param variables the only ones that MinIO's provider finds set: they tell it the service
     * @param rules of this service; each sees a request before it is sent
     * @throws ProviderException if the service gives none, or can't be reached
     */
    TemporaryCredentials fetch(
            HttpUrl service, Map<String, String> variables, Interceptor... rules) {
        Answers answers = new Answers();
        OkHttpClient.Builder client = http.newBuilder();
        client.interceptors().addAll(Arrays.asList(rules));
        client.addInterceptor(answers::read).addNetworkInterceptor(answers::checkRedirect);
        Credentials found = fetchFrom(provider(service, variables, client.build()), service);
        if (isNullOrEmpty(found.sessionToken()) || !answers.end.isPresent()) {
            throw new ProviderException(
                    service.host() + " gives no session token, or no end of the credentials");
        }
        return new TemporaryCredentials(
                found.accessKey(), found.secretKey(), found.sessionToken(), answers.end.get());
    }

    private static boolean isNullOrEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }

    /** Removes the address from the message, as it may hold a secret. */
    private static Credentials fetchFrom(IamAwsProvider provider, HttpUrl service) {
        try {
            return provider.fetch();
        } catch (RefusedException e) {
            throw e;
        } catch (ProviderException e) {
            throw new ProviderException(
                    e.getMessage().replace(service.toString(), service.host() + "/"), e.getCause());
        }
    }

    /** A new one each time: it would keep credentials by the process's clock. */
    private static IamAwsProvider provider(
            HttpUrl service, Map<String, String> variables, OkHttpClient client) {
        return new IamAwsProvider(service.toString(), client) {
            @Override
            protected String getProperty(String name) {
                return variables.get(name);
            }
        };
    }

    /** The service can't be reached, or answers with another status than success. */
    static final class RefusedException extends ProviderException {

        private static final long serialVersionUID = 1L;

        private final int status;
        private final boolean mayPass;

        private RefusedException(String message, int status, boolean mayPass, IOException cause) {
            super(message, cause);
            this.status = status;
            this.mayPass = mayPass;
        }

        /** Whether the service gave no answer about the role, and may give one later. */
        boolean mayPass() {
            return mayPass;
        }

        /** Zero if there was no answer. */
        int status() {
            return status;
        }

        boolean timedOut() {
            return getCause() instanceof SocketTimeoutException;
        }
    }

    /**
     * The answers of one call. Failures pass MinIO's provider, which hides the reason, as
     * exceptions that it does not expect.
     */
    private static final class Answers {

        /** In JSON and in XML. */
        private static final Pattern END = Pattern.compile("\\bExpiration\\W+(\\d[^\"<\\s]*)");

        private Optional<Instant> end = Optional.empty();
        private int redirects;

        private Response read(Interceptor.Chain chain) {
            String host = chain.request().url().host();
            try (Response answer = chain.proceed(chain.request())) {
                String text = text(answer);
                if (!answer.isSuccessful()) {
                    Optional<S3Error> error =
                            S3Error.parse(text).filter(known -> !known.code().isEmpty());
                    String reason =
                            error.map(S3Error::toString).orElse("with status " + answer.code());
                    throw new RefusedException(
                            host + " answered " + reason,
                            answer.code(),
                            answer.code() == 429
                                    || answer.code() >= 500
                                    || error.filter(e -> PASSING.contains(e.code())).isPresent(),
                            null);
                }
                return answer.newBuilder().body(ResponseBody.create(withEnd(text), null)).build();
            } catch (IOException e) {
                throw new RefusedException("No credentials from " + host, 0, true, e);
            }
        }

        private static String text(Response answer) throws IOException {
            BufferedSource body = answer.body().source();
            if (body.request(MAX_ANSWER_BYTES + 1)) {
                throw new IOException("An answer longer than " + MAX_ANSWER_BYTES + " bytes");
            }
            return body.readUtf8();
        }

        /**
         * Notes the end of the credentials, and rewrites it as MinIO's provider parses it: in whole
         * seconds, and in UTC. Services other than AWS's have fractions and other zones.
         */
        private String withEnd(String answer) {
            Matcher found = END.matcher(answer);
            if (!found.find()) {
                return answer;
            }
            try {
                Instant instant =
                        DateTimeFormatter.ISO_DATE_TIME.parse(found.group(1), Instant::from);
                end = Optional.of(instant);
                return answer.substring(0, found.start(1))
                        + instant.truncatedTo(ChronoUnit.SECONDS)
                        + answer.substring(found.end(1));
            } catch (DateTimeException e) {
                return answer;
            }
        }

        /** Checks each answer before the client follows it. */
        private Response checkRedirect(Interceptor.Chain chain) throws IOException {
            Response answer = chain.proceed(chain.request());
            HttpUrl from = chain.request().url();
            HttpUrl to = answer.isRedirect() ? from.resolve(answer.header("Location", "")) : from;
            String problem = "";
            if (to == null || !to.resolve("/").equals(from.resolve("/"))) {
                problem = " redirects a request for credentials to another host";
            } else if (answer.isRedirect() && ++redirects > MAX_REDIRECTS) {
                problem = " redirects without an end";
            }
            if (!problem.isEmpty()) {
                answer.close();
                throw new IOException(from.host() + problem);
            }
            return answer;
        }
    }

    /** Java's own would look for a SOCKS proxy. The client asks for unconnected sockets only. */
    static final class DirectSockets extends SocketFactory {

        @Override
        public Socket createSocket() {
            return new Socket(Proxy.NO_PROXY);
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw connected(host, port);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
            throw connected(host, port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw connected(host, port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
            throw connected(host, port);
        }

        private static UnsupportedOperationException connected(Object host, int port) {
            return new UnsupportedOperationException(
                    "Ask for an unconnected socket, and connect it to " + host + ":" + port);
        }
    }
}
