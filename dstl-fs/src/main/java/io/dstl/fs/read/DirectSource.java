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
package io.dstl.fs.read;

import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.store.SegmentOpener;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Reads from the store each time. Owns nothing; closing it has no effect. */
public final class DirectSource implements ContentSource {

    private final SegmentOpener opener;

    public DirectSource(SegmentOpener opener) {
        this.opener = opener;
    }

    @Override
    public InputStream open(StreamStateHandle segment, long offset) throws IOException {
        return SegmentInput.open(opener.open(segment), segment, offset);
    }

    @Override
    public void close() {}
}
