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
package io.dstl.harness.rest;

import java.io.IOException;
import java.util.Locale;

/** Flink answered, and the answer is no. */
public final class RestFailure extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RestFailure(String request, int status, String body) {
        super(String.format(Locale.ROOT, "%s was answered %d: %s", request, status, body));
        this.status = status;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }
}
