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
package io.dstl.fs.fault;

import io.dstl.fs.DstlStorageFactory;
import java.util.concurrent.TimeUnit;
import org.apache.flink.changelog.fs.FsStateChangelogStorageFactory;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;

/** Whose storage is looked at, and how long it may take to do what it should. */
enum StorageKind {
    /** Does it; so there is no hurry. */
    DSTL(TimeUnit.MINUTES.toSeconds(9)) {
        @Override
        StateChangelogStorageFactory factory() {
            return new DstlStorageFactory();
        }
    },

    /** Never does what most scenarios wait for, so they wait no longer than this. */
    STOCK(2) {
        @Override
        StateChangelogStorageFactory factory() {
            return new FsStateChangelogStorageFactory();
        }
    };

    private final long patienceSeconds;

    StorageKind(long patienceSeconds) {
        this.patienceSeconds = patienceSeconds;
    }

    abstract StateChangelogStorageFactory factory();

    long patienceSeconds() {
        return patienceSeconds;
    }
}
