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
package io.dstl.changelog.bulk;

import org.apache.flink.api.common.typeutils.TypeSerializer;

/** What to say of a key of a log that the job's key serializer does not fit. */
public final class KeyFault {
    private KeyFault() {}

    /** It can't be read. */
    public static String unreadable(TypeSerializer<?> serializer) {
        return "the key can't be read: either the record is damaged, or the key is read with"
                + " another serializer; "
                + remedy(serializer);
    }

    /**
     * It was read, and taken for one of another key group.
     *
     * @param ofKey the key group of what was read
     * @param logged the key group that the change was logged under
     */
    public static String ofKeyGroup(int ofKey, int logged, TypeSerializer<?> serializer) {
        return "the key belongs to key group "
                + ofKey
                + ": expected key group "
                + logged
                + ", which the change was logged under; "
                + remedy(serializer);
    }

    private static String remedy(TypeSerializer<?> serializer) {
        return "if "
                + serializer.getClass().getName()
                + " is not the key serializer that the log was written with, restore with that"
                + " one: a changelog can't be migrated to another";
    }
}
