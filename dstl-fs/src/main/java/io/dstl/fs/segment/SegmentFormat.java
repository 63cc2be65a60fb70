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

/**
 * The layout of a segment file. All integers are big-endian.
 *
 * <pre>
 * byte 0      1: content is one Snappy framed stream, 0: content is plain
 * content     change sets, back to back
 *
 * change set  int groups, then per group:
 *               int count, int keyGroup (-1: metadata, comes first), then count times:
 *                 int length, byte[length]
 * </pre>
 *
 * <p>An offset in a handle counts bytes of uncompressed content, byte 0 not included.
 */
final class SegmentFormat {

    static final int PLAIN = 0;
    static final int SNAPPY = 1;

    /** Ahead of the content. */
    static final int HEADER_BYTES = 1;

    /** Stands for the metadata where a key group is expected. */
    static final int METADATA_KEY_GROUP = -1;

    static final int SET_HEADER_BYTES = Integer.BYTES;
    static final int GROUP_HEADER_BYTES = 2 * Integer.BYTES;
    static final int RECORD_HEADER_BYTES = Integer.BYTES;

    private SegmentFormat() {}
}
