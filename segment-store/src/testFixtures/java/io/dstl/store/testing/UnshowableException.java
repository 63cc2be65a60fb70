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
package io.dstl.store.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;

/** A failure, of a user's file system say, that throws where it is to be logged. */
public final class UnshowableException extends IOException {

    public UnshowableException() {
        super("can't be shown");
    }

    /**
     * Fails a put with one. The future throws, too, after those who wait for it have been told: it
     * shows the failure to wrap it.
     */
    public static void fail(ScriptedStore.Put put) {
        assertThatThrownBy(() -> put.fail(new UnshowableException())).hasMessage("no text");
    }

    @Override
    public String toString() {
        throw new IllegalStateException("no text");
    }
}
