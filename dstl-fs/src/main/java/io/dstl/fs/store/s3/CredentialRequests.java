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
package io.dstl.fs.store.s3;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.time.Duration;
import javax.net.SocketFactory;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;

/**
 * Requests for credentials. They go to the service itself, by no proxy, as whoever is in between
 * would have the credentials; and where the service redirects them, to the same host only.
 *
 * <p><b>Threading.</b> Any thread; blocks.
 */
final class CredentialRequests {

    /** Metadata services answer at once, or are not there. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Of an answer with credentials, several times. */
    private static final long MAX_ANSWER_BYTES = 256 * 1024;

    /** The agent of ECS redirects a path that begins with two slashes to the one that it knows. */
    private static final int MAX_REDIRECTS = 3;

    private final OkHttpClient http;

    /**
     * @param http whose connections and threads are used
     */
    CredentialRequests(OkHttpClient http) {
        this.http =
                http.newBuilder()
                        .proxy(Proxy.NO_PROXY)
                        .socketFactory(new DirectSockets())
                        .followRedirects(false)
                        .followSslRedirects(false)
                        .connectTimeout(TIMEOUT)
                        .readTimeout(TIMEOUT)
                        .build();
    }

    /**
     * @return what the service answers
     * @throws StatusException if it answers with another status than success
     * @throws IOException if it can't be reached, or leads to another host
     */
    String send(Request request) throws IOException {
        Request next = request;
        for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
            try (Response answer = http.newCall(next).execute()) {
                if (answer.isSuccessful()) {
                    return text(answer);
                }
                if (answer.code() / 100 != 3 || !request.method().equals("GET")) {
                    throw new StatusException(answer.code(), text(answer));
                }
                next = next.newBuilder().url(target(next.url(), answer)).build();
            }
        }
        throw new IOException(request.url().host() + " redirects without an end");
    }

    private static HttpUrl target(HttpUrl from, Response answer) throws IOException {
        String location = answer.header("Location");
        HttpUrl to = location == null ? null : from.resolve(location);
        if (to == null
                || !to.host().equals(from.host())
                || to.port() != from.port()
                || !to.scheme().equals(from.scheme())) {
            throw new IOException(
                    from.host()
                            + " redirects a request for credentials to another host, "
                            + (to == null ? "that it does not name" : to.host()));
        }
        return to;
    }

    private static String text(Response answer) throws IOException {
        BufferedSource body = answer.body().source();
        if (body.request(MAX_ANSWER_BYTES + 1)) {
            throw new IOException("An answer longer than " + MAX_ANSWER_BYTES + " bytes");
        }
        return body.readUtf8();
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
                    "No socket that is connected to "
                            + host
                            + ":"
                            + port
                            + " is to be had here: ask for an unconnected one, and connect it");
        }
    }

    /** The service has answered, but not with credentials. */
    static final class StatusException extends IOException {

        private static final long serialVersionUID = 1L;

        private final int status;
        private final String answer;

        private StatusException(int status, String answer) {
            super("It answered with status " + status);
            this.status = status;
            this.answer = answer;
        }

        int status() {
            return status;
        }

        /** Not for logs. */
        String answer() {
            return answer;
        }
    }
}
