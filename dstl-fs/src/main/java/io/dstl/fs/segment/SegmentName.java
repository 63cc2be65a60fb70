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
package io.dstl.fs.segment;

import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Tells by its name whether a segment has an index: then the name is a UUID of version 8, otherwise
 * of another version. Flink's own segments are named by UUIDs of version 4.
 *
 * <p>The name is in the checkpoint's metadata, not in the segment: no damage to a segment makes a
 * reader take it for one that it cannot verify.
 */
public final class SegmentName {

    private static final long VERSION_BITS = 0xF000L;
    private static final long VERSION = 0x8000L;

    private static final Pattern INDEXED =
            Pattern.compile(
                    "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}.*");

    private SegmentName() {}

    /**
     * A name for a segment that is written with an index.
     *
     * @param random keeps all bits but the version
     */
    public static String indexed(UUID random) {
        long upper = (random.getMostSignificantBits() & ~VERSION_BITS) | VERSION;
        return new UUID(upper, random.getLeastSignificantBits()).toString();
    }

    /** Whether the segment must have an index. */
    public static boolean isIndexed(StreamStateHandle segment) {
        String path = segment.getStreamStateHandleID().getKeyString();
        return INDEXED.matcher(path.substring(path.lastIndexOf('/') + 1)).matches();
    }
}
