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

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * The store has understood a request and will not do it: access denied, no such bucket, a request
 * it takes for wrong. The same again is answered the same until somebody changes the configuration
 * or the permissions.
 */
public final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * @param message what was asked for, and the answer; no secrets
     * @param code the store's word for the reason, such as <i>AccessDenied</i>
     */
    public RefusedException(String message, String code) {
        super(message);
        this.code = requireNonNull(code);
    }

    public String code() {
        return code;
    }
}
