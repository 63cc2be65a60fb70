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
package io.dstl.harness.proxy;

import io.dstl.harness.proxy.Latencies.Bandwidth;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/**
 * An HTTP proxy in front of an S3 store that gives it the latencies and the faults of one far away,
 * and keeps a journal of all requests. Clients take it for the store.
 */
public final class FaultProxy implements AutoCloseable {
    /** Longer than any client waits: it is the client that gives up, not the proxy. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final int MAX_CONNECTIONS = 1024;

    /**
     * Jetty's own are of 4 and 8 KiB: a segment of 2 MB would go through in hundreds of rounds, and
     * the time of those is no store's.
     */
    private static final int BUFFER_BYTES = 128 << 10;

    private final Server server = new Server();
    private final ServerConnector connector;
    private final ScheduledExecutorService later;
    private final RequestJournal journal = new RequestJournal();

    private final Clock clock;

    private FaultProxy(
            URI store,
            Latencies latencies,
            Bandwidth bandwidth,
            Disturbance disturbance,
            Clock clock) {
        this.clock = clock;
        later = Executors.newScheduledThreadPool(2, daemons());
        HttpConfiguration http = new HttpConfiguration();
        http.setUriCompliance(UriCompliance.UNSAFE);
        http.setSendServerVersion(false);
        HttpConnectionFactory connections = new HttpConnectionFactory(http);
        connections.setInputBufferSize(BUFFER_BYTES);
        connector = new ServerConnector(server, connections);
        connector.setHost("127.0.0.1");
        connector.setIdleTimeout(LIMIT.toMillis());
        server.addConnector(connector);
        server.setRequestLog(this::record);
        server.setHandler(
                handler(new FaultServlet(store, latencies, bandwidth, disturbance, later)));
    }

    /**
     * Starts one on a free port of this machine.
     *
     * @param clock the wall clock, as the server's own requests are stamped with
     */
    public static FaultProxy start(
            URI store, Latencies latencies, Disturbance disturbance, Clock clock)
            throws IOException {
        return start(store, latencies, Bandwidth.unlimited(), disturbance, clock);
    }

    /** The same, which passes answers on no faster than that. */
    public static FaultProxy start(
            URI store,
            Latencies latencies,
            Bandwidth bandwidth,
            Disturbance disturbance,
            Clock clock)
            throws IOException {
        FaultProxy proxy = new FaultProxy(store, latencies, bandwidth, disturbance, clock);
        try {
            proxy.server.start();
        } catch (Exception e) {
            proxy.later.shutdownNow();
            throw new IOException("the proxy in front of " + store + " does not start", e);
        }
        return proxy;
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort());
    }

    public RequestJournal journal() {
        return journal;
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IOException("the proxy on " + endpoint() + " does not stop", e);
        } finally {
            later.shutdownNow();
        }
    }

    private void record(Request request, Response response) {
        long arrived = request.getTimeStamp();
        String query = request.getQueryString();
        journal.add(
                new ServedRequest(
                        RequestKind.of(request.getMethod()),
                        query == null
                                ? request.getRequestURI()
                                : request.getRequestURI() + "?" + query,
                        bytes(request),
                        new Span(
                                Instant.ofEpochMilli(arrived),
                                Duration.ofMillis(Math.max(0, clock.millis() - arrived))),
                        status(response)));
    }

    private static int status(Response response) {
        return response.getCommittedMetaData() == null
                ? ServedRequest.NO_ANSWER
                : response.getCommittedMetaData().getStatus();
    }

    /** Of the object itself: a signed stream of chunks is longer. */
    private static long bytes(Request request) {
        String decoded = request.getHeader("x-amz-decoded-content-length");
        return decoded == null
                ? Math.max(0, request.getContentLengthLong())
                : Long.parseLong(decoded);
    }

    private static ServletContextHandler handler(FaultServlet servlet) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        holder.setInitParameter("preserveHost", "true");
        holder.setInitParameter("timeout", Long.toString(LIMIT.toMillis()));
        holder.setInitParameter("idleTimeout", Long.toString(LIMIT.toMillis()));
        holder.setInitParameter("requestBufferSize", Integer.toString(BUFFER_BYTES));
        holder.setInitParameter("responseBufferSize", Integer.toString(BUFFER_BYTES));
        holder.setInitParameter("maxConnections", Integer.toString(MAX_CONNECTIONS));
        ServletContextHandler handler = new ServletContextHandler();
        handler.setContextPath("/");
        handler.addServlet(holder, "/*");
        return handler;
    }

    private static ThreadFactory daemons() {
        return task -> {
            Thread thread = new Thread(task, "fault-proxy-later");
            thread.setDaemon(true);
            return thread;
        };
    }
}
