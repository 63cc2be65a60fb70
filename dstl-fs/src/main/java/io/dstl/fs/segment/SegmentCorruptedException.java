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

import io.dstl.secret.Redaction.Redacted;
import java.io.IOException;
import java.util.Locale;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A segment does not contain what a handle refers to, or what was written. A segment with an index
 * has been read from the store a second time by then; a checkpoint that refers to it cannot be
 * restored.
 */
public final class SegmentCorruptedException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String damage;

    /**
     * @param setOffset where the change set begins, in bytes of uncompressed content
     * @param position of the damage, in bytes of uncompressed content
     */
    SegmentCorruptedException(
            StreamStateHandle segment,
            long setOffset,
            long position,
            String found,
            String expected,
            Throwable cause) {
        this(
                "Segment " + name(segment),
                String.format(
                        Locale.ROOT,
                        "in the change set at offset %d, at position %d of the content, found %s,"
                                + " expected %s",
                        setOffset,
                        position,
                        found,
                        expected),
                cause);
    }

    private SegmentCorruptedException(String subject, String damage, Throwable cause) {
        super(subject + " is corrupt: " + damage, cause);
        this.damage = damage;
    }

    private static Redacted name(StreamStateHandle segment) {
        return Redacted.of(segment.getStreamStateHandleID().getKeyString());
    }

    /** The position, what was found and what was expected; without the segment's name. */
    public String damage() {
        return damage;
    }

    /** The end of the file is damaged, so that no change set can be verified. */
    static SegmentCorruptedException ofIndex(
            StreamStateHandle segment, String found, String expected, Throwable cause) {
        return new SegmentCorruptedException(
                "Segment " + name(segment) + " of " + segment.getStateSize() + " bytes",
                "at its end, found " + found + ", expected " + expected,
                cause);
    }

    /** Flink's own reader needs these bytes, although dstl's does not. */
    static SegmentCorruptedException ofFrame(
            StreamStateHandle segment, long position, String found, String expected) {
        return new SegmentCorruptedException(
                "Segment " + name(segment),
                "at position "
                        + position
                        + " of the file, found "
                        + found
                        + ", expected "
                        + expected,
                null);
    }
}
