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
package io.dstl.fs.fault;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our storage has none of the faults, and the same look finds each of them in Flink's. */
class StorageFaultTest {

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(StorageFault.class)
    void isNotInOurs(StorageFault fault) throws Exception {
        try (Stage stage = stage(StorageKind.DSTL)) {
            fault.lookFor(stage);
        }
    }

    @ParameterizedTest
    @EnumSource(StorageFault.class)
    void isFoundInStock(StorageFault fault) throws Exception {
        try (Stage stage = stage(StorageKind.STOCK)) {
            assertThatThrownBy(() -> fault.lookFor(stage)).isInstanceOf(AssertionError.class);
        }
    }

    private Stage stage(StorageKind kind) throws Exception {
        return new Stage(
                kind, Files.createDirectory(directory.resolve(UUID.randomUUID().toString())));
    }
}
