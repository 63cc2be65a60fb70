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
package io.dstl.bench.jmh;

import io.dstl.bench.micro.KeyOrder;
import io.dstl.bench.micro.PayloadKind;
import io.dstl.bench.micro.StateKind;
import java.util.LinkedHashMap;
import java.util.Map;

/** What one figure is of: the state, what it holds, which keys, and how the log is written. */
public final class JmhCase {
    private final StateKind state;
    private final PayloadKind payload;
    private final KeyOrder workload;
    private final boolean compressed;

    /**
     * @param compressed whether the log is, by Snappy
     */
    public JmhCase(StateKind state, PayloadKind payload, KeyOrder workload, boolean compressed) {
        this.state = state;
        this.payload = payload;
        this.workload = workload;
        this.compressed = compressed;
    }

    PayloadKind payload() {
        return payload;
    }

    /** For readers: state and content. */
    String subject() {
        return state.label() + " " + payload.label();
    }

    /** For readers: keys and compression. */
    String circumstances() {
        return workload.label() + ", " + (compressed ? "snappy" : "not compressed");
    }

    /** For readers who know the usual circumstances: empty, or what is not as usual. */
    String exception() {
        return compressed ? " (snappy)" : "";
    }

    /** For programs. */
    String key() {
        return String.join(
                ".",
                state.label(),
                payload.label(),
                workload.label(),
                compressed ? "snappy" : "none");
    }

    /** As JMH is told. */
    Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("kind", state.label());
        parameters.put("serializer", payload.label());
        parameters.put("workload", workload.label());
        parameters.put("compressed", Boolean.toString(compressed));
        return parameters;
    }
}
