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
package io.dstl.changelog.replay;

import io.dstl.changelog.replay.HandWrittenLog.Data;
import org.apache.flink.types.StringValue;

/** The data of records, as the serializers of Flink's basic types write them. */
final class RecordData {
    private RecordData() {}

    static Data text(String value) {
        return out -> StringValue.writeString(value, out);
    }

    static Data number(long value) {
        return out -> out.writeLong(value);
    }

    /** A list is its size and its elements. */
    static Data longs(long... values) {
        return out -> {
            out.writeInt(values.length);
            for (long value : values) {
                out.writeLong(value);
            }
        };
    }

    static Data entry(String key, long value) {
        return out -> {
            StringValue.writeString(key, out);
            out.writeLong(value);
        };
    }

    /** A map is its size, then each key, whether its value is null, and the value. */
    static Data entries(String key1, long value1, String key2, long value2) {
        return out -> {
            out.writeInt(2);
            StringValue.writeString(key1, out);
            out.writeBoolean(false);
            out.writeLong(value1);
            StringValue.writeString(key2, out);
            out.writeBoolean(false);
            out.writeLong(value2);
        };
    }

    static Data nullEntry(String key) {
        return out -> {
            out.writeInt(1);
            StringValue.writeString(key, out);
            out.writeBoolean(true);
        };
    }

    static Data merge(long target, long... sources) {
        return out -> {
            out.writeLong(target);
            longs(sources).accept(out);
        };
    }

    static Data timers(int key, long... times) {
        return out -> {
            out.writeInt(times.length);
            for (long time : times) {
                timer(key, time).accept(out);
            }
        };
    }

    /**
     * A timer is its time with the sign flipped, so that bytes sort as times do, key, namespace.
     */
    static Data timer(int key, long time) {
        return out -> {
            out.writeLong(time ^ Long.MIN_VALUE);
            out.writeInt(key);
            out.writeLong(0L);
        };
    }
}
