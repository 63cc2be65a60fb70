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
package io.dstl.changelog.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What a test of one of Flink's bases runs on, and what ends with it. Made when the base first asks
 * for it, since a test knows its mode only then.
 */
final class BaseUnderTest implements AfterEachCallback {
    private TaskManagerUnderTest taskManager;

    ConfigurableStateBackend backend(BackendUnderTest.Mode mode, Path directory)
            throws IOException {
        return new BackendUnderTest(
                taskManager(mode, directory), mode.snapshots(), mode.delegate().backend(directory));
    }

    CheckpointStorage checkpointStorage(BackendUnderTest.Mode mode, Path directory)
            throws IOException {
        return taskManager(mode, directory).checkpointStorage();
    }

    private TaskManagerUnderTest taskManager(BackendUnderTest.Mode mode, Path directory)
            throws IOException {
        if (taskManager == null) {
            taskManager = new TaskManagerUnderTest(mode.storage(), directory);
        }
        return taskManager;
    }

    @Override
    public void afterEach(ExtensionContext test) throws Exception {
        if (taskManager != null) {
            taskManager.close();
        }
    }

    /**
     * Reports a test of one of Flink's bases as skipped; to be called before each test.
     *
     * @param base that declares the test
     */
    static void leaveOut(TestInfo current, Class<?> base, String test, String reason) {
        assertThat(Arrays.stream(base.getDeclaredMethods()).map(method -> method.getName()))
                .as("tests of %s", base)
                .contains(test);
        if (current.getTestMethod().orElseThrow().getName().equals(test)) {
            Assumptions.abort(reason);
        }
    }
}
