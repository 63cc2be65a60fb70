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

import io.dstl.harness.proxy.Disturbance.Answer;
import io.dstl.harness.proxy.Latencies.Bandwidth;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.api.Response;
import org.eclipse.jetty.proxy.AsyncProxyServlet;
import org.eclipse.jetty.server.HttpChannel;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;

/**
 * Passes each request on after its latency, and after the stall if there is one; or answers it with
 * an error after its latency, or resets its connection before or after the store has served it. No
 * thread waits meanwhile. A request keeps its Host header, path and query, which its signature
 * covers.
 */
final class FaultServlet extends AsyncProxyServlet {
    private static final String ANSWER = FaultServlet.class.getName() + ".answer";

    private final transient URI store;
    private final transient Latencies latencies;
    private final transient Bandwidth bandwidth;
    private final transient Disturbance disturbance;
    private final transient ScheduledExecutorService later;

    FaultServlet(
            URI store,
            Latencies latencies,
            Bandwidth bandwidth,
            Disturbance disturbance,
            ScheduledExecutorService later) {
        this.store = store;
        this.latencies = latencies;
        this.bandwidth = bandwidth;
        this.disturbance = disturbance;
        this.later = later;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Answer answer = (Answer) request.getAttribute(ANSWER);
        if (answer == null) {
            request.setAttribute(ANSWER, disturbance.answer());
            Duration latency =
                    latencies
                            .next(RequestKind.of(request.getMethod()))
                            .plus(disturbance.slowness());
            AsyncContext parked = request.startAsync();
            parked.setTimeout(0);
            resume(parked, latency);
        } else if (answer.error.isPresent()) {
            refuse(request, response, answer.error.getAsInt());
        } else if (answer == Answer.RESET) {
            reset(request);
        } else if (HollowObject.names(request)) {
            HollowObject.answer(request, response);
        } else {
            super.service(request, response);
        }
    }

    private void resume(AsyncContext parked, Duration delay) {
        later.schedule(
                () -> {
                    Duration held = disturbance.held();
                    if (held.isZero()) {
                        parked.dispatch();
                    } else {
                        resume(parked, held);
                    }
                },
                delay.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** The store has served the request by then. */
    @Override
    protected void onServerResponseHeaders(
            HttpServletRequest request, HttpServletResponse response, Response served) {
        if (request.getAttribute(ANSWER) == Answer.LOST) {
            reset(request);
        } else {
            super.onServerResponseHeaders(request, response, served);
        }
    }

    @Override
    protected void onResponseContent(
            HttpServletRequest request,
            HttpServletResponse response,
            Response served,
            byte[] buffer,
            int offset,
            int length,
            Callback callback) {
        if (!bandwidth.isLimited()) {
            super.onResponseContent(request, response, served, buffer, offset, length, callback);
            return;
        }
        // The store's next part is not read before the callback.
        later.schedule(
                () ->
                        super.onResponseContent(
                                request, response, served, buffer, offset, length, callback),
                bandwidth.timeOf(length).toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private static void reset(HttpServletRequest request) {
        HttpChannel channel = Request.getBaseRequest(request).getHttpChannel();
        Object socket = channel.getEndPoint().getTransport();
        if (socket instanceof SocketChannel) {
            try {
                // Closed so, it sends RST in place of FIN.
                ((SocketChannel) socket).setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        channel.abort(new IOException("the proxy resets this connection, as it was told to"));
    }

    /** Reads the body first, as S3 does: a client that is still sending would see a broken pipe. */
    private static void refuse(HttpServletRequest request, HttpServletResponse response, int status)
            throws IOException {
        request.getInputStream().transferTo(OutputStream.nullOutputStream());
        String code = status == HttpServletResponse.SC_SERVICE_UNAVAILABLE ? "SlowDown" : "Fault";
        byte[] body =
                ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                                + code
                                + "</Code><Message>Please reduce your request"
                                + " rate.</Message></Error>")
                        .getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType("application/xml");
        response.setContentLength(body.length);
        if (RequestKind.of(request.getMethod()) != RequestKind.HEAD) {
            response.getOutputStream().write(body);
        }
    }

    @Override
    protected String rewriteTarget(HttpServletRequest request) {
        String query = request.getQueryString();
        String path = store + request.getRequestURI();
        return query == null ? path : path + "?" + query;
    }
}
