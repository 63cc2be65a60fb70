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
package io.dstl.store;

import io.dstl.secret.Redaction;
import io.dstl.store.StoreProvider.Access;
import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.StoreProvider.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * The object stores that have a direct client, each with the chosen client. They are asked in
 * order: the first that a path is on decides; if it is on none, Flink's file system stores and
 * reads.
 *
 * <p>Immutable. Any thread.
 */
public final class StoreProviders {

    private static final Decision FLINKS_FILE_SYSTEM = new NoDirectClient();

    private final Configuration config;
    private final List<Choice> choices;

    private StoreProviders(Configuration config, List<Choice> choices) {
        this.config = config;
        this.choices = List.copyOf(choices);
    }

    /**
     * Without object stores.
     *
     * @param config of the process, as the file systems have it
     */
    public static StoreProviders of(Configuration config) {
        return new StoreProviders(config, Collections.emptyList());
    }

    /** These, followed by another one. */
    public StoreProviders with(StoreProvider provider, ClientChoice choice) {
        List<Choice> more = new ArrayList<>(choices);
        more.add(new Choice(provider, choice));
        return new StoreProviders(config, more);
    }

    /** Whether the path is on any of the object stores. */
    boolean isOn(Path path) {
        return first(path).isPresent();
    }

    /**
     * @param files serves the path in this process
     * @throws IllegalConfigurationException if the direct client is required and does not support
     *     the configuration; names key, value and remedy
     */
    public Decision decide(Path path, FileSystem files) {
        return first(path)
                .map(choice -> choice.provider.decide(choice.client, config, path, files))
                .orElse(FLINKS_FILE_SYSTEM);
    }

    private Optional<Choice> first(Path path) {
        return choices.stream().filter(choice -> choice.provider.isOn(path)).findFirst();
    }

    /** An object store, and the client to use for it. */
    private static final class Choice {

        private final StoreProvider provider;
        private final ClientChoice client;

        Choice(StoreProvider provider, ClientChoice client) {
            this.provider = provider;
            this.client = client;
        }
    }

    /** For a path on none of the object stores. */
    private static final class NoDirectClient implements Decision {

        @Override
        public boolean isDirect() {
            return false;
        }

        @Override
        public Access open(
                ExecutorService requests,
                ScheduledExecutorService timer,
                WallClock clock,
                DoubleSupplier random,
                Redaction redaction) {
            throw new IllegalArgumentException(toString());
        }

        @Override
        public String toString() {
            return "Flink's file system (the path is on no object store with a direct client)";
        }
    }
}
