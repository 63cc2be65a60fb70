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
 * Hears what the storage's factory sees of the life of its process. Found as a service by the class
 * loader of {@link DstlStorageFactory}; one of each class for a class loader.
 *
 * <p>May not keep its caller waiting. What it throws is logged, and nothing else.
 */
public interface ProcessListener {
    /**
     * The process has begun to load changelog storages: for a TaskManager that is one of the first
     * things it does, before it has a task or has said that it is there. Called once.
     */
    void started();

    /**
     * The process gets a task of a job that it had none of, with a changelog or without. Any
     * thread; may be called several times for one job.
     */
    void jobArrives();
}
