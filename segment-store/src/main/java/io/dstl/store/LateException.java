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
package io.dstl.store;

import java.io.IOException;

/** A request was cut off, as it was late: another one is likely to be faster. */
public final class LateException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Without cause and names, so that it may be shown, and keeps its class. */
    public LateException() {
        super("A request was late, and was cut off");
    }
}
