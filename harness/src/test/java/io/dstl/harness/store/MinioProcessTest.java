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
package io.dstl.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MinioProcessTest {

    @Test
    void isNamedByItsVersionAndItsBytes(@TempDir Path directory) throws Exception {
        Path binary = directory.resolve("minio");
        Files.writeString(binary, "#!/bin/sh\necho \"minio version of $1\"\necho more\n");
        assertThat(binary.toFile().setExecutable(true)).isTrue();

        assertThat(MinioProcess.version(binary))
                .matches("minio version of --version \\(sha256:[0-9a-f]{64}\\)");
    }
}
