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

/**
 * Lets the time of sources leap: a file in a directory that they look at. Given by a process
 * without Flink's classes, so it uses none. Any thread.
 */
public final class LeapSignal {
    private static final String FILE = "leap";

    private LeapSignal() {}

    /**
     * Tells all sources that were given that directory, wherever they run on this machine, to let
     * time leap, for good.
     */
    public static void give(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(FILE), "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isGiven(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }
}
