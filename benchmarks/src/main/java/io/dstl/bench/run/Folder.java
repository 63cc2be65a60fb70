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
package io.dstl.bench.run;

import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import java.util.Locale;

/** What a request is about: the parts of the bucket that each variant keeps apart. */
enum Folder {
    /** Below the log's base path. */
    LOG("changelog"),
    /** Below the checkpoints' directory. */
    CHECKPOINTS("checkpoints"),
    /** The bucket as such; deletions of many objects at once, whose names are in the body. */
    OTHER("");

    private final String path;

    Folder(String path) {
        this.path = path;
    }

    /** Below the root of the variant. */
    String path() {
        return path;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether that object of the bucket is in it. */
    boolean holds(String key) {
        return key.contains("/" + path + "/");
    }

    /** By the object that the request names, or the prefix that it lists. */
    static Folder of(ServedRequest request) {
        String target = request.target().replace("%2F", "/");
        for (Folder folder : new Folder[] {LOG, CHECKPOINTS}) {
            if (target.contains("/" + folder.path)) {
                return folder;
            }
        }
        return OTHER;
    }
}
