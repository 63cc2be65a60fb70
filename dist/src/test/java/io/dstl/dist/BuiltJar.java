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
package io.dstl.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * A jar as the build has made it. Reads its entries; does not load its classes.
 *
 * <p>Not safe for use by several threads.
 */
final class BuiltJar implements AutoCloseable {

    private static final String CLASS_SUFFIX = ".class";

    private final Path path;
    private final JarFile file;

    /** Opens the jar that the build has named in a system property. */
    BuiltJar(String property) throws IOException {
        String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalStateException(
                    property + " is not set: run this test by 'mvn verify', which builds the jar");
        }
        this.path = Path.of(value);
        this.file = new JarFile(path.toFile());
    }

    Path path() {
        return path;
    }

    URL url() throws MalformedURLException {
        return path.toUri().toURL();
    }

    /** Names of all files, with those that occur twice listed twice. */
    List<String> files() {
        List<String> names = new ArrayList<>();
        for (JarEntry entry : Collections.list(file.entries())) {
            if (!entry.isDirectory()) {
                names.add(entry.getName());
            }
        }
        return names;
    }

    List<String> classFiles() {
        return files().stream().filter(name -> name.endsWith(CLASS_SUFFIX)).collect(toList());
    }

    List<String> classNames() {
        return classFiles().stream()
                .map(name -> name.substring(0, name.length() - CLASS_SUFFIX.length()))
                .map(name -> name.replace('/', '.'))
                .collect(toList());
    }

    String text(String name) throws IOException {
        try (InputStream in = open(name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    ClassFile classFile(String name) throws IOException {
        try (DataInputStream in = new DataInputStream(open(name))) {
            return ClassFile.read(in);
        }
    }

    private InputStream open(String name) throws IOException {
        JarEntry entry = file.getJarEntry(name);
        if (entry == null) {
            throw new FileNotFoundException(name + " in " + path);
        }
        return file.getInputStream(entry);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
