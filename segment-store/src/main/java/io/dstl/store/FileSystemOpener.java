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

import io.dstl.secret.Redaction.Redacted;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Locale;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Opens segments through the file system that their handle names. */
public final class FileSystemOpener implements SegmentOpener {

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        try {
            return segment.openInputStream();
        } catch (FileNotFoundException e) {
            FileNotFoundException missing =
                    new FileNotFoundException(
                            String.format(
                                    Locale.ROOT,
                                    "Segment %s is missing: a file of %d bytes was expected",
                                    Redacted.of(segment.getStreamStateHandleID().getKeyString()),
                                    segment.getStateSize()));
            missing.initCause(e);
            throw missing;
        }
    }
}
