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
package io.dstl.store.s3.auth;

import io.minio.credentials.Credentials;

/** Told of credentials that the store takes for ended or for unknown. Any thread; no I/O. */
public interface Refusals {
    /**
     * @return whether there are others now
     */
    boolean refused(Credentials used);

    /** Whether others come in a while, as the present ones have an end. */
    default boolean areRenewed() {
        return false;
    }
}
