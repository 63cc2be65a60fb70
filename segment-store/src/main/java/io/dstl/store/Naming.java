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
package io.dstl.store;

/** What a {@link SegmentStore} makes of a second put to a name. */
public enum Naming {
    /**
     * The whole object is replaced, at once and atomically: at any time, a reader finds either one.
     * So all attempts to store a segment share its name, and one that ends late leaves no second
     * object. For object stores.
     */
    REPLACES,

    /**
     * Refused: a name is taken once. So each attempt has a name of its own. For file systems, where
     * a file grows under its name while it is written.
     */
    WRITE_ONCE
}
