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

import java.io.Closeable;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * What is fetched ahead for one restore. Closing it ends the fetching, of what no other restore
 * needs at once. Any thread; never blocks for I/O that another thread began.
 */
public interface FetchAhead extends Closeable {

    /** Nothing is fetched ahead. */
    FetchAhead NONE =
            new FetchAhead() {
                @Override
                public void done(StreamStateHandle segment) {}

                @Override
                public void close() {}
            };

    /** One of the change sets requested of this segment has been read, which makes room. */
    void done(StreamStateHandle segment);

    @Override
    void close();
}
