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

/**
 * The store has understood a request and will not do it: access denied, no such bucket, a request
 * it takes for wrong. The same again would be answered the same.
 */
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message what was asked for, and the answer; no secrets
     */
    RefusedException(String message) {
        super(message);
    }
}
