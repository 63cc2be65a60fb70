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
package io.dstl.harness.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerProcessTest {

    /** A client of S3 would ask the company's proxy for the store on this machine. */
    @Test
    void aChildKnowsNoProxies() {
        Map<String, String> environment =
                new HashMap<>(
                        Map.of(
                                "HTTPS_PROXY", "http://proxy:3128",
                                "http_proxy", "http://proxy:3128",
                                "NO_PROXY", "example.com",
                                "PATH", "/bin"));

        ServerProcess.staysOnThisMachine(environment);

        assertThat(environment).containsOnlyKeys("NO_PROXY", "PATH");
    }
}
