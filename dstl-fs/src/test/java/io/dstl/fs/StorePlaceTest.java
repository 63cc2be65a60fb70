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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.DstlSettings;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore;
import io.dstl.store.SegmentStore;
import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.StoreProviders;
import io.dstl.store.testing.ScriptedProvider;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorePlaceTest {

    @TempDir Path base;

    private final ScriptedProvider elsewhere = new ScriptedProvider("s3");
    private final ScriptedProvider here = new ScriptedProvider("file");

    @Test
    void isTheObjectStoreThatTheBasePathIsOn() throws IOException {
        assertThat(store(ClientChoice.AUTO)).isSameAs(here.store());
        assertThat(here.isClosed()).isTrue();
        assertThat(elsewhere.isClosed()).isFalse();
    }

    @Test
    void isFlinksFileSystemWhereThatIsChosen() throws IOException {
        assertThat(store(ClientChoice.FILESYSTEM)).isInstanceOf(FileSystemSegmentStore.class);
    }

    private SegmentStore store(ClientChoice choice) throws IOException {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, base.toUri().toString());
        DstlSettings settings = DstlSettings.from(config);
        StoreProviders providers =
                StoreProviders.of(config).with(elsewhere, ClientChoice.AUTO).with(here, choice);
        try (StorePlace place = StorePlace.of(settings, config, new SystemSource(), providers);
                StorageThreads threads = new StorageThreads(settings.upload())) {
            return place.open(new JobID(1, 2), threads, Redaction.of(config));
        }
    }
}
