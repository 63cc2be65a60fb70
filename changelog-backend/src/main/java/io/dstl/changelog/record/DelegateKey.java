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

/**
 * The current key as the delegate has serialized it.
 *
 * <p>The task thread only.
 *
 * @param <N> type of the namespaces
 */
public interface DelegateKey<N> {

    /**
     * The current key with this namespace. To be used at once: good until the next call, and until
     * the delegate does anything with a key.
     */
    ChangeScope at(N namespace);
}
