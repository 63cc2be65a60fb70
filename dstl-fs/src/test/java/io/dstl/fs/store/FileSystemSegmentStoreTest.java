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
package io.dstl.fs.store;

import io.dstl.fs.secret.Redaction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.apache.flink.core.fs.FileSystem;

class FileSystemSegmentStoreTest extends SegmentStoreContract {

    @Override
    protected SegmentStore create(Path base, Executor uploads) throws IOException {
        SegmentDirectory directory =
                SegmentDirectory.of(new org.apache.flink.core.fs.Path(base.toUri()), JOB);
        return new FileSystemSegmentStore(
                FileSystem.getLocalFileSystem(), directory, 1000, uploads, Redaction.OF_URIS);
    }
}
