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
package io.dstl.fs.batch;

/** Hears when tasks stop and go on for the bytes in flight. Any thread; must not block. */
public interface LimitListener {

    LimitListener NONE =
            new LimitListener() {
                @Override
                public void reached(long bytes) {}

                @Override
                public void over() {}
            };

    /**
     * The tasks take no records from now on.
     *
     * @param bytes in flight
     */
    void reached(long bytes);

    /** The tasks take records again. */
    void over();
}
