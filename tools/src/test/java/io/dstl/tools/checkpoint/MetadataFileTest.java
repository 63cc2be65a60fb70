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
package io.dstl.tools.checkpoint;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataFileTest {
    @TempDir private Path directory;

    /** Flink's reader allocates arrays of whatever length it reads. */
    @Test
    void metadataThatTakesAllMemoryMayBeDamaged() throws IOException {
        Path file = Files.createFile(directory.resolve(MetadataFile.NAME));
        MetadataFile metadata = MetadataFile.at(new org.apache.flink.core.fs.Path(file.toUri()));
        InputStream huge =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new OutOfMemoryError("Requested array size exceeds VM limit");
                    }
                };

        assertThatThrownBy(() -> metadata.parse(huge))
                .isInstanceOf(MetadataFile.TooLargeException.class)
                .hasMessageContaining("damaged")
                .hasMessageContaining("-Xmx");
    }
}
