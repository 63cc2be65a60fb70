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
package io.dstl.bench.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells the sources of a job, wherever they run on this machine, to let time leap. Any thread. */
public final class LeapSignal {
    private static final String NAME = "leap";

    private LeapSignal() {}

    /** For all sources that were given the same directory, and for good. */
    public static void give(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(NAME), "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isGiven(Path directory) {
        return Files.exists(directory.resolve(NAME));
    }
}
