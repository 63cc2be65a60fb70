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
package io.dstl.changelog.write;

import io.dstl.changelog.record.ChangeScope;
import java.io.IOException;
import java.util.Map;
import javax.annotation.Nullable;

/** Writes a map state and its log, under the current key and namespace. The task thread only. */
public interface MapWriter<UK, UV> {

    /**
     * ADD_OR_UPDATE_ELEMENT in the log. A null value is logged as an ADD of one entry: its format
     * marks null values, which that of a single entry leaves to the value's serializer, and most of
     * those refuse them.
     */
    void put(UK key, @Nullable UV value) throws Exception;

    /** ADD in the log. */
    void putAll(Map<UK, UV> entries) throws Exception;

    /** REMOVE_ELEMENT in the log. */
    void remove(UK key) throws Exception;

    /**
     * Logs, as {@link #put} does, what an entry of the delegate's has just been set to.
     *
     * @param scope of the iterator that the entry came from
     */
    void logEntrySet(ChangeScope scope, UK key, @Nullable UV value) throws IOException;

    /**
     * Logs what an iterator of the delegate's has just removed.
     *
     * @param scope of the iterator
     */
    void logEntryRemoved(ChangeScope scope, UK key) throws IOException;
}
