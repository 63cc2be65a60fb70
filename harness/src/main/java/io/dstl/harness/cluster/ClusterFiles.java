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
package io.dstl.harness.cluster;

import io.dstl.harness.net.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The directory of one cluster: its {@code conf/}, {@code log/} and {@code tmp/}, and the settings
 * written there. Immutable.
 *
 * <p>Owns what every local cluster must have its own of: ports and directories. The sample
 * configuration's other settings stay, unless the run overrides them.
 */
public final class ClusterFiles {
    private static final String LOGGING = "log4j.properties";

    private final FlinkHome home;
    private final Path directory;
    private final FlinkSettings settings;

    private ClusterFiles(FlinkHome home, Path directory, FlinkSettings settings) {
        this.home = home;
        this.directory = directory;
        this.settings = settings;
    }

    /** Lays the directory out and writes the sample with the run's settings in it. */
    public static ClusterFiles create(
            FlinkHome home, Path directory, Path sample, Map<String, String> overrides)
            throws IOException {
        Path absolute = directory.toAbsolutePath();
        for (String folder : new String[] {"conf", "log", "tmp", "upload"}) {
            Files.createDirectories(absolute.resolve(folder));
        }
        Map<String, String> own = new LinkedHashMap<>();
        List<Integer> ports = FreePorts.of(absolute, 2);
        own.put("jobmanager.rpc.port", ports.get(0).toString());
        own.put("rest.port", ports.get(1).toString());
        own.put("io.tmp.dirs", absolute.resolve("tmp").toString());
        own.put("web.upload.dir", absolute.resolve("upload").toString());
        own.putAll(overrides);
        FlinkSettings settings = FlinkSettings.read(sample).with(own);
        settings.write(absolute.resolve("conf").resolve(home.configurationFile()));
        try (InputStream logging = ClusterFiles.class.getResourceAsStream(LOGGING)) {
            Files.copy(logging, absolute.resolve("conf").resolve(LOGGING));
        }
        return new ClusterFiles(home, absolute, settings);
    }

    public URI restAddress() {
        String host = settings.get("rest.address").orElse("localhost");
        return URI.create("http://" + host + ":" + settings.get("rest.port").orElseThrow());
    }

    public Path logs() {
        return directory.resolve("log");
    }

    FlinkHome home() {
        return home;
    }

    FlinkSettings settings() {
        return settings;
    }

    Path conf() {
        return directory.resolve("conf");
    }

    Path logging() {
        return conf().resolve(LOGGING);
    }
}
