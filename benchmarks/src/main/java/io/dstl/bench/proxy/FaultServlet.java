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
package io.dstl.bench.proxy;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.proxy.AsyncProxyServlet;

/**
 * Passes each request on after its latency, and after the stall if there is one; or answers it with
 * an error after its latency. No thread waits meanwhile. A request keeps its Host header, path and
 * query, which its signature covers.
 */
final class FaultServlet extends AsyncProxyServlet {
    private static final long serialVersionUID = 1L;
    private static final String ANSWER = FaultServlet.class.getName() + ".answer";

    private final transient URI store;
    private final transient Latencies latencies;
    private final transient Disturbance disturbance;
    private final transient ScheduledExecutorService later;

    FaultServlet(
            URI store,
            Latencies latencies,
            Disturbance disturbance,
            ScheduledExecutorService later) {
        this.store = store;
        this.latencies = latencies;
        this.disturbance = disturbance;
        this.later = later;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Answer answer = (Answer) request.getAttribute(ANSWER);
        if (answer == null) {
            request.setAttribute(ANSWER, disturbance.answer());
            Duration latency = latencies.next(RequestKind.of(request.getMethod()));
            AsyncContext parked = request.startAsync();
            parked.setTimeout(0);
            resume(parked, latency);
        } else if (answer.error().isPresent()) {
            refuse(request, response, answer.error().getAsInt());
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

    /** Reads the body first, as S3 does: a client that is still sending would see a broken pipe. */
    private static void refuse(HttpServletRequest request, HttpServletResponse response, int status)
            throws IOException {
        request.getInputStream().transferTo(OutputStream.nullOutputStream());
        String code = status == HttpServletResponse.SC_SERVICE_UNAVAILABLE ? "SlowDown" : "Fault";
        byte[] body =
                ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                                + code
                                + "</Code><Message>Please reduce your request rate.</Message></Error>")
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
