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
package io.dstl.fs.fault;

import java.io.IOException;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** Lets Flink find {@link TroubledFileSystem} by its scheme. */
public final class TroubledFileSystemFactory implements FileSystemFactory {

    private static final Set<String> RESOLVED = ConcurrentHashMap.newKeySet();

    /** The host can be resolved until the result is closed: "unresolved" can't otherwise. */
    public static AutoCloseable resolve(String host) {
        RESOLVED.add(host);
        return () -> RESOLVED.remove(host);
    }

    @Override
    public String getScheme() {
        return TroubledFileSystem.SCHEME;
    }

    @Override
    public FileSystem create(URI uri) throws IOException {
        if ("unresolved".equals(uri.getHost()) && !RESOLVED.contains(uri.getHost())) {
            throw new IOException(uri.getHost() + " cannot be resolved");
        }
        if ("unconfigured".equals(uri.getHost())) {
            throw new IllegalArgumentException("no endpoint");
        }
        return new TroubledFileSystem(uri);
    }
}
