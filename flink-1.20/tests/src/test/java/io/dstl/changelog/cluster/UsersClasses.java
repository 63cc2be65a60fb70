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
package io.dstl.changelog.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** The classes of {@link UsersCode} as a jar of a job, and which class loaders they were from. */
public final class UsersClasses {
    private static final List<WeakReference<ClassLoader>> SEEN = new CopyOnWriteArrayList<>();

    private UsersClasses() {}

    static void forget() {
        SEEN.clear();
    }

    /** Called by the job, whose classes are not of this package: another class loader has them. */
    public static void seen(ClassLoader loader) {
        SEEN.add(new WeakReference<>(loader));
    }

    /** How often a class loader was seen. */
    static int seen() {
        return SEEN.size();
    }

    /** Whether all that were seen are gone, after another garbage collection. */
    static boolean areCollected() {
        System.gc();
        return SEEN.stream().allMatch(loader -> loader.get() == null);
    }

    /** Writes the jar. Its classes come before those of Flink's class path, where a job has it. */
    static Path jar(Path file) throws IOException, URISyntaxException {
        String directory = UsersCode.class.getPackageName().replace('.', '/');
        Path classes =
                Path.of(UsersCode.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                        .resolve(directory);
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out);
                DirectoryStream<Path> users =
                        Files.newDirectoryStream(classes, UsersCode.class.getSimpleName() + "*")) {
            for (Path each : users) {
                jar.putNextEntry(new JarEntry(directory + '/' + each.getFileName()));
                Files.copy(each, jar);
            }
        }
        return file;
    }
}
