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
package org.apache.flink.contrib.streaming.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocksDB's key of an entry that an iterator of {@link RocksDBMapState} has returned. The entry is
 * set and removed by these bytes. To serialize the user's key again may give others: of a set, say,
 * whose elements have come in another order, or of a class that was registered with Kryo since.
 *
 * <p>Flink keeps them in private fields, which all releases have so far. Without them map states
 * are serialized once more for the log, as those that are not of Flink's own class. Thread-safe.
 */
final class RocksDbMapEntry {
    private static final Logger LOG = LoggerFactory.getLogger("io.dstl.changelog.RocksDbMapEntry");

    @Nullable private static final VarHandle KEY = field("rawKeyBytes", byte[].class);
    @Nullable private static final VarHandle USER_KEY_AT = field("userKeyOffset", int.class);

    private RocksDbMapEntry() {}

    /** Whether this Flink has the fields. */
    static boolean isReadable() {
        return KEY != null && USER_KEY_AT != null;
    }

    /** RocksDB's key; only if it is readable. */
    static byte[] key(Map.Entry<?, ?> entry) {
        return (byte[]) KEY.get(entry);
    }

    /** Where the user's key begins in it; only if it is readable. */
    static int userKeyAt(Map.Entry<?, ?> entry) {
        return (int) USER_KEY_AT.get(entry);
    }

    @Nullable
    private static VarHandle field(String name, Class<?> type) {
        try {
            Class<?> entry =
                    Stream.of(RocksDBMapState.class.getDeclaredClasses())
                            .filter(Map.Entry.class::isAssignableFrom)
                            .findFirst()
                            .orElseThrow(ClassNotFoundException::new);
            return MethodHandles.privateLookupIn(entry, MethodHandles.lookup())
                    .findVarHandle(entry, name, type);
        } catch (ReflectiveOperationException e) {
            LOG.warn(
                    "This Flink's map entries of RocksDB have no field {}, so each change of a map"
                            + " state is serialized once more, for the log. Use a Flink version that"
                            + " dstl is checked against.",
                    name,
                    e);
            return null;
        }
    }
}
