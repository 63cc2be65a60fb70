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
package io.dstl.parity.state;

/**
 * One state of one key: kept by Flink, or by plain collections that say what Flink's must be. The
 * key is the current one.
 */
public interface Cell {

    /**
     * Changes the content.
     *
     * @param ordinal what is written is made from it
     * @param choice from 0 to {@link StateCase#CHOICES}, exclusive: the operation
     */
    void apply(long ordinal, int choice) throws Exception;

    /** The content as text, the same for equal contents. Reads it as a user would. */
    String show() throws Exception;
}
