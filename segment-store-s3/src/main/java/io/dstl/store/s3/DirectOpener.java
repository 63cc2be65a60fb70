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
package io.dstl.store.s3;

import io.dstl.secret.Redaction;
import io.dstl.store.SegmentOpener;
import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Opens segments on S3, of any bucket, by requests of its own, and others by another opener. What
 * is opened sends its request with the first read, so that a seek before it costs none.
 */
final class DirectOpener implements SegmentOpener {

    private final S3Client client;
    private final SegmentOpener others;
    private final ReadRetries retries;
    private final Redaction redaction;

    DirectOpener(S3Client client, SegmentOpener others, ReadRetries retries, Redaction redaction) {
        this.client = client;
        this.others = others;
        this.retries = retries;
        this.redaction = redaction;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        if (!(segment instanceof FileStateHandle)) {
            return others.open(segment);
        }
        FileStateHandle file = (FileStateHandle) segment;
        return S3Object.isOn(file.getFilePath())
                ? new RangeInputStream(
                        client,
                        S3Object.of(file.getFilePath()),
                        file.getStateSize(),
                        retries,
                        redaction)
                : others.open(segment);
    }
}
