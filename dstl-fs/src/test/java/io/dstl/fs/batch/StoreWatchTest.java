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
package io.dstl.fs.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.batch.StoreWatch.RefusedFromTheStartException;
import java.io.IOException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;

class StoreWatchTest {

    private final StoreWatch watch = new StoreWatch(() -> 0);

    /** A checkpoint of a job that has just started must not wait for another certificate. */
    @Test
    void aCertificateForAnotherHostIsARefusalUntilSomethingWasStored() {
        IOException cause = new IOException(new SSLPeerUnverifiedException("not for store.host"));

        assertThat(watch.failed(1, 1, cause))
                .isInstanceOf(RefusedFromTheStartException.class)
                .hasMessageContaining("the store's certificate")
                .hasMessageContaining("not for store.host");

        watch.stored();
        assertThat(watch.failed(1, 1, cause)).isSameAs(cause);
    }
}
