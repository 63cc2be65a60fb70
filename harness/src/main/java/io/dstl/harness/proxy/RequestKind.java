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

import java.util.Locale;

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
