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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.BulkSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of replays: its directory, and the delegate that it replays into. */
abstract class ReplayTest {
    static final LongSerializer LONGS = LongSerializer.INSTANCE;

    @TempDir Path directory;

    ReplayFixture fixture;

    final void open(DelegateKind kind) throws Exception {
        fixture = ReplayFixture.of(kind, directory);
    }

    final void open(DelegateKind kind, KeyGroupRange keyGroups) throws Exception {
        fixture = ReplayFixture.of(kind, directory, keyGroups);
    }

    final void openInBulk(BulkSettings settings) throws Exception {
        fixture = ReplayFixture.inBulk(emptyDirectory(), settings);
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    final Path emptyDirectory() throws Exception {
        return Files.createTempDirectory(directory, "delegate");
    }
}
