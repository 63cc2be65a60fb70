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
package io.dstl.changelog.state;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;

/**
 * Reads the records of changes, one after the other, without a buffer per record.
 *
 * <p>Owns nothing: the bytes are those of the change being replayed.
 */
public final class RecordInput extends DataInputDeserializer {
    private byte[] record = new byte[0];

    /** Starts at the first byte of the given record. */
    public void open(byte[] newRecord) {
        record = newRecord;
        setBuffer(newRecord);
    }

    /** The whole record, from its first byte on. */
    public byte[] bytes() {
        return record;
    }

    /** Moves back, or forth, to a position in the record. */
    public void moveTo(int position) {
        setBuffer(record, position, record.length - position);
    }

    public void skipToEnd() {
        moveTo(record.length);
    }

    /** Whether the next bytes of the record are the first {@code length} ones of {@code bytes}. */
    boolean continuesWith(byte[] bytes, int length) {
        int from = getPosition();
        return length <= available()
                && Arrays.equals(record, from, from + length, bytes, 0, length);
    }

    /** Copies the bytes from a position already read up to the current one. */
    byte[] copySince(int position) {
        return Arrays.copyOfRange(record, position, getPosition());
    }

    /**
     * @throws IOException if the count is negative
     */
    int readCount(String what) throws IOException {
        int count = readInt();
        if (count < 0) {
            throw new IOException(count + " " + what + ": expected 0 or more");
        }
        return count;
    }

    /**
     * @throws IOException if the record continues: it is not of the kind it was read as
     */
    public void expectEnd() throws IOException {
        if (available() > 0) {
            throw new IOException(
                    available()
                            + " bytes follow the change: expected its record to end at byte "
                            + getPosition());
        }
    }
}
