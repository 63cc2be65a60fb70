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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.fs.FileSystem;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {

    @Test
    void doNotKeepTheClassLoaderOfWhomeverAsks() throws Exception {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        try (URLClassLoader job = new URLClassLoader(new URL[0], before)) {
            caller.setContextClassLoader(job);
            Thread made = new DaemonThreads("any").newThread(() -> {});

            assertThat(made.getContextClassLoader()).isSameAs(FileSystem.class.getClassLoader());
            assertThat(made.isDaemon()).isTrue();
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    /** A task thread makes some, with values of the user's classes. */
    @Test
    void inheritNoThreadLocals() throws Exception {
        InheritableThreadLocal<String> ofUser = new InheritableThreadLocal<>();
        ofUser.set("the user's");
        CompletableFuture<Optional<String>> seen = new CompletableFuture<>();
        new DaemonThreads("any")
                .newThread(() -> seen.complete(Optional.ofNullable(ofUser.get())))
                .start();

        assertThat(seen.get()).isEmpty();
    }
}
