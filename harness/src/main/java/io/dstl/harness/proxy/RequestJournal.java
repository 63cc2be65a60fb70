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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Every request served, in memory: some 200 bytes each. For any thread. */
public final class RequestJournal {
    @GuardedBy("this")
    private final List<ServedRequest> served = new ArrayList<>();

    synchronized void add(ServedRequest request) {
        served.add(request);
    }

    /** Those that arrived in that time, in the order in which they did. */
    public synchronized List<ServedRequest> during(Span span) {
        return served.stream()
                .filter(one -> span.contains(one.arrived()))
                .sorted(Comparator.comparing(ServedRequest::arrived))
                .collect(Collectors.toList());
    }

    /** One request that came to the proxy and what became of it. */
    public static final class ServedRequest {
        /** The status of a request whose connection was reset. */
        public static final int NO_ANSWER = 0;

        public final RequestKind kind;

        /** Path and query as they were sent. */
        public final String target;

        /** Of the object sent; 0 where there is none. */
        public final long bytes;

        private final Span span;
        public final int status;

        public ServedRequest(RequestKind kind, String target, long bytes, Span span, int status) {
            this.kind = kind;
            this.target = target;
            this.bytes = bytes;
            this.span = span;
            this.status = status;
        }

        public Instant arrived() {
            return span.start();
        }

        /** Until the answer was sent, or the client was found gone. */
        public Duration took() {
            return span.length();
        }
    }

    /** The methods that S3 knows, and how long each takes beside a put. */
    public enum RequestKind {
        PUT(1),
        POST(1),
        GET(0.5),
        HEAD(0.5),
        DELETE(0.5);

        private final double weight;

        RequestKind(double weight) {
            this.weight = weight;
        }

        /** The kind of that HTTP method. */
        static RequestKind of(String method) {
            return valueOf(method.toUpperCase(Locale.ROOT));
        }

        double weight() {
            return weight;
        }
    }

    /** A stretch of time: from its start, inclusive, to its end, exclusive. */
    public static final class Span {
        private final Instant start;
        private final Duration length;

        public Span(Instant start, Duration length) {
            this.start = start;
            this.length = length;
        }

        public static Span between(Instant start, Instant end) {
            return new Span(start, Duration.between(start, end));
        }

        public Instant start() {
            return start;
        }

        public Instant end() {
            return start.plus(length);
        }

        public Duration length() {
            return length;
        }

        public boolean contains(Instant moment) {
            return !moment.isBefore(start) && moment.isBefore(end());
        }
    }
}
