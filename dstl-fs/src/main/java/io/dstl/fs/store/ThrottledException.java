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
package io.dstl.fs.store;

import java.io.IOException;

/**
 * The store is in order but wants fewer requests: S3 answered 503 <i>Slow Down</i>, or 429. What to
 * do: the same again, later, and less of everything else meanwhile.
 */
public final class ThrottledException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message what was asked for, and the answer; no secrets
     */
    public ThrottledException(String message, Throwable cause) {
        super(message, cause);
    }
}
