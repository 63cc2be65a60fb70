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

import io.dstl.fs.option.DstlOptions;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.inmemory.StateChangelogStorageTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Flink's {@link StateChangelogStorageTest} on our storage. */
class ChangelogStorageBaseTest extends StateChangelogStorageTest<ChangelogStateHandleStreamImpl> {

    /** Whether to compress. Takes the place of the base's, which has one of the two. */
    public static Stream<Boolean> parameters() {
        return Stream.of(true, false);
    }

    /** Disabled in the base, as Flink's own storage fails it (FLINK-30729). */
    @Override
    @ParameterizedTest
    @MethodSource("parameters")
    public void testNoAppendAfterClose(boolean compression) throws IOException {
        super.testNoAppendAfterClose(compression);
    }

    @Override
    protected StateChangelogStorage<ChangelogStateHandleStreamImpl> getFactory(
            boolean compression, File directory) throws IOException {
        Configuration config = new Configuration();
        // The clock is the real one: no attempt shall look slow.
        config.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        config.set(DstlOptions.BASE_PATH, directory.toURI().toString());
        config.set(DstlOptions.COMPRESSION_ENABLED, compression);
        return new DstlStorageFactory()
                .createStorage(
                        new JobID(),
                        config,
                        UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
    }
}
