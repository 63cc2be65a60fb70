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
package io.dstl.e2e.scenario;

import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.Latencies;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await.Time;
import java.io.IOException;
import java.net.URI;

/** A store on this machine that takes as long as one that is not. Owns the proxy, not the store. */
final class DistantStore implements S3Store {
    private static final long SEED = 4;

    private final S3Store store;
    private final FaultProxy proxy;
    private final Latencies.Settings requests;

    private DistantStore(S3Store store, FaultProxy proxy, Latencies.Settings requests) {
        this.store = store;
        this.proxy = proxy;
        this.requests = requests;
    }

    static DistantStore of(S3Store store, Latencies.Settings requests, Time time)
            throws IOException {
        FaultProxy proxy =
                FaultProxy.start(
                        store.endpoint(),
                        new Latencies(SEED, requests),
                        new Disturbance(SEED, time::nanos),
                        time.clock());
        return new DistantStore(store, proxy, requests);
    }

    @Override
    public URI endpoint() {
        return proxy.endpoint();
    }

    @Override
    public String description() {
        return store.description() + " behind a proxy; requests: " + requests;
    }

    @Override
    public void close() {
        try {
            proxy.close();
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }
}
