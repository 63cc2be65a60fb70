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
package io.dstl.fs.option;

import java.io.File;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;

/** How segments are downloaded for a restore, and where and how long copies are kept. */
public final class DownloadSettings {

    private final List<File> directories;
    private final Duration idleTimeout;
    private final int threads;
    private final long maxAheadBytes;

    /**
     * @param directories at least one
     * @param idleTimeout zero: no local copies
     * @param threads above zero
     * @param maxAheadBytes above zero
     */
    public DownloadSettings(
            List<File> directories, Duration idleTimeout, int threads, long maxAheadBytes) {
        this.directories = List.copyOf(directories);
        this.idleTimeout = idleTimeout;
        this.threads = threads;
        this.maxAheadBytes = maxAheadBytes;
    }

    /**
     * @throws org.apache.flink.configuration.IllegalConfigurationException if a value cannot work
     */
    public static DownloadSettings from(Configuration config) {
        OptionReport report = new OptionReport();
        DownloadSettings settings = from(config, new OptionCheck(config, report));
        report.throwIfRefused();
        return settings;
    }

    static DownloadSettings from(Configuration config, OptionCheck check) {
        Duration idleTimeout = check.notNegative(DstlOptions.CACHE_IDLE_TIMEOUT);
        List<File> directories =
                Arrays.stream(ConfigurationUtils.parseTempDirectories(config))
                        .filter(name -> !name.trim().isEmpty())
                        .map(File::new)
                        .collect(Collectors.toList());
        if (directories.isEmpty()) {
            check.refuse(
                    CoreOptions.TMP_DIRS,
                    "empty",
                    "name at least one local directory, or leave the key out");
        }
        return new DownloadSettings(
                directories,
                idleTimeout,
                check.atLeast(1, DstlOptions.NUM_DOWNLOAD_THREADS),
                check.bytesWithin(1, Long.MAX_VALUE, DstlOptions.MAX_DOWNLOAD_AHEAD));
    }

    public List<File> directories() {
        return directories;
    }

    /** The time from the last use of a local copy to its deletion; zero: no local copies. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    /** Concurrent downloads ahead of the replay. */
    public int threads() {
        return threads;
    }

    /** Bytes of segments downloaded before a task reads them. */
    public long maxAheadBytes() {
        return maxAheadBytes;
    }
}
