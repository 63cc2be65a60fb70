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
package io.dstl.fs;

/**
 * Hears that its process has begun to load changelog storages: for a TaskManager that is one of the
 * first things it does, before it has a task or has said that it is there.
 *
 * <p>Found as a service by the class loader of {@link DstlStorageFactory}, and called once for each
 * such class loader. Nobody waits for it, nor may it keep its caller waiting.
 */
public interface ProcessStart {
    void started();
}
