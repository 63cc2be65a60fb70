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

import java.time.Duration;
import java.time.Instant;

/** One request that came to the proxy and what became of it. */
public final class ServedRequest {
    /** The status of a request whose connection was reset. */
    public static final int NO_ANSWER = 0;

    private final RequestKind kind;
    private final String target;
    private final long bytes;
    private final Span span;
    private final int status;

    public ServedRequest(RequestKind kind, String target, long bytes, Span span, int status) {
        this.kind = kind;
        this.target = target;
        this.bytes = bytes;
        this.span = span;
        this.status = status;
    }

    public RequestKind kind() {
        return kind;
    }

    /** Path and query as they were sent. */
    public String target() {
        return target;
    }

    /** Of the object sent; 0 where there is none. */
    public long bytes() {
        return bytes;
    }

    public Instant arrived() {
        return span.start();
    }

    /** Until the answer was sent, or the client was found gone. */
    public Duration took() {
        return span.length();
    }

    public int status() {
        return status;
    }
}
