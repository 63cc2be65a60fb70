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

import io.dstl.changelog.record.ChangeOp;
import java.util.List;

/** Writes a list state and its log, under the current key and namespace. The task thread only. */
public interface ListWriter<E> {

    /** ADD_ELEMENT in the log. */
    void add(E element) throws Exception;

    /**
     * ADD in the log.
     *
     * @param elements not empty
     */
    void addAll(List<E> elements) throws Exception;

    /**
     * @param elements not empty
     * @param op what the log calls it
     */
    void set(List<E> elements, ChangeOp op) throws Exception;
}
