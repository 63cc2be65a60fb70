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
 * Notified of the life of its process by the storage's factory. Found as a service by the class
 * loader of {@link DstlStorageFactory}; one instance of each class for a class loader.
 *
 * <p>Must not block its caller. What it throws is only logged.
 */
public interface ProcessListener {
    /**
     * The process has begun to load changelog storages: one of the first things a TaskManager does,
     * before it has a task or has registered itself. Called once.
     */
    void started();

    /**
     * The process gets a first task of a job, with a changelog or without. Any thread; may be
     * called several times for one job.
     */
    void jobArrives();
}
