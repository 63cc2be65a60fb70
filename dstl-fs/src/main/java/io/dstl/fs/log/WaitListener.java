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
package io.dstl.fs.log;

/**
 * Hears when a task thread waits because too much is in flight, and when it goes on. Called by that
 * thread, in turns, beginning with {@link #begins()}, and outside of all locks of the log.
 */
public interface WaitListener {

    WaitListener NONE =
            new WaitListener() {
                @Override
                public void begins() {}

                @Override
                public void ends() {}
            };

    void begins();

    /** Also where the wait ends with an error. */
    void ends();
}
