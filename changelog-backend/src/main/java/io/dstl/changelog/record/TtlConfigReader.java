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
package io.dstl.changelog.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.Status;
import java.util.Set;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.util.InstantiationUtil.ClassLoaderObjectInputStream;

/**
 * Reads a state's time-to-live, the only part of the log that Java serializes. Wherever the bytes
 * come from, it instantiates only classes that such settings consist of, and bounds bytes,
 * references and depth.
 */
final class TtlConfigReader {
    private static final String OURS = StateTtlConfig.class.getName();

    /** Classes of the fields of {@link StateTtlConfig}, also in former versions of Flink. */
    private static final Set<String> FIELDS =
            Set.of(
                    "java.lang.Enum",
                    "java.time.Duration",
                    "java.time.Ser",
                    "java.util.EnumMap",
                    "java.util.concurrent.TimeUnit",
                    "org.apache.flink.api.common.time.Time");

    /** Settings take less than 2 kB and 50 references, five deep. */
    private static final long MAX_BYTES = 64 << 10;

    private static final long MAX_REFERENCES = 1000;
    private static final long MAX_DEPTH = 20;

    private TtlConfigReader() {}

    /**
     * @param in read to the end of the settings, and not a byte further
     * @throws IOException if the bytes are no such settings
     */
    static StateTtlConfig read(InputStream in) throws IOException {
        ClassLoaderObjectInputStream objects =
                new ClassLoaderObjectInputStream(in, StateTtlConfig.class.getClassLoader());
        ObjectInputFilter ofProcess = ObjectInputFilter.Config.getSerialFilter();
        objects.setObjectInputFilter(
                info -> {
                    Status decided =
                            ofProcess == null ? Status.UNDECIDED : ofProcess.checkInput(info);
                    return decided == Status.REJECTED ? decided : check(info);
                });
        try {
            return (StateTtlConfig) objects.readObject();
        } catch (ClassNotFoundException | RuntimeException e) {
            throw new IOException("no time-to-live settings: " + e, e);
        }
    }

    private static Status check(ObjectInputFilter.FilterInfo info) {
        Class<?> type = info.serialClass();
        boolean within =
                info.depth() <= MAX_DEPTH
                        && info.references() <= MAX_REFERENCES
                        && info.streamBytes() <= MAX_BYTES
                        && info.arrayLength() < 0;
        return within && (type == null || isAllowed(type.getName()))
                ? Status.ALLOWED
                : Status.REJECTED;
    }

    private static boolean isAllowed(String type) {
        return type.equals(OURS) || type.startsWith(OURS + '$') || FIELDS.contains(type);
    }
}
