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
package io.dstl.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the version of dstl, and warns where this process has it more than once, as after an
 * upgrade that left the old jar in {@code lib/}: most classes are of the jar whose name comes
 * first, whichever version that is.
 */
public final class InstalledJars {
    private static final Logger LOG = LoggerFactory.getLogger(InstalledJars.class);

    /** Each jar has one. */
    private static final String VERSION = "io/dstl/version.properties";

    private InstalledJars() {}

    /** The version of the running dstl, as the build wrote it into the jar. */
    public static String version() {
        try (InputStream in = InstalledJars.class.getResourceAsStream("/" + VERSION)) {
            if (in == null) {
                throw new IllegalStateException(
                        VERSION + " is missing on the class path: build dstl anew");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void check(ClassLoader loader) {
        List<String> found = in(loader);
        if (found.size() > 1) {
            LOG.warn(
                    "dstl is installed more than once, so that an old version may run, or a mixture:"
                            + " leave one, and restart this process. There is {}",
                    found);
        }
    }

    /** Where it is; nowhere if that cannot be said. */
    static List<String> in(ClassLoader loader) {
        try {
            return Collections.list(loader.getResources(VERSION)).stream()
                    .map(URL::toString)
                    .distinct()
                    .collect(Collectors.toList());
        } catch (IOException e) {
            LOG.debug("Could not look for {}", VERSION, e);
            return List.of();
        }
    }
}
