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

import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Counts requests. */
public final class Tally {
    private final List<ServedRequest> requests;

    /**
     * @param requests in the order in which they came
     */
    public Tally(List<ServedRequest> requests) {
        this.requests = List.copyOf(requests);
    }

    public List<ServedRequest> requests() {
        return requests;
    }

    public Tally in(Folder folder) {
        return new Tally(
                requests.stream()
                        .filter(request -> Folder.of(request) == folder)
                        .collect(Collectors.toList()));
    }

    public int count() {
        return requests.size();
    }

    public int count(RequestKind kind) {
        return (int) requests.stream().filter(request -> request.kind == kind).count();
    }

    /**
     * Without deletions, which no checkpoint waits for, and without the question whether there is
     * such an object that Flink's S3 file system asks right before each.
     */
    int countKept() {
        Map<String, RequestKind> last = new HashMap<>();
        int deletions = 0;
        for (ServedRequest request : requests) {
            RequestKind before = last.put(request.target, request.kind);
            if (request.kind == RequestKind.DELETE) {
                deletions += before == RequestKind.HEAD ? 2 : 1;
            }
        }
        return count() - deletions;
    }

    /** How many puts went to an object that an earlier one went to: hedges and retries. */
    int repeatedPuts() {
        Map<String, Integer> puts = new HashMap<>();
        for (ServedRequest request : requests) {
            if (request.kind == RequestKind.PUT && !request.target.contains("partNumber=")) {
                puts.merge(request.target, 1, Integer::sum);
            }
        }
        return puts.values().stream().mapToInt(times -> times - 1).sum();
    }

    /** Of all objects put. */
    public long bytesPut() {
        return requests.stream()
                .filter(request -> request.kind == RequestKind.PUT)
                .mapToLong(one -> one.bytes)
                .sum();
    }

    /** What a request is about: the parts of the bucket that each variant keeps apart. */
    public enum Folder {
        /** Below the log's base path. */
        LOG("changelog"),
        /** Below the checkpoints' directory. */
        CHECKPOINTS("checkpoints"),
        /** Where a highly available JobManager keeps what it must not lose. */
        HIGH_AVAILABILITY("ha"),
        /** The bucket as such; deletions of many objects at once, whose names are in the body. */
        OTHER("");

        private final String path;

        Folder(String path) {
            this.path = path;
        }

        /** Below the root of the variant. */
        public String path() {
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
            String target = request.target.replace("%2F", "/");
            for (Folder folder : new Folder[] {LOG, CHECKPOINTS, HIGH_AVAILABILITY}) {
                if (target.contains("/" + folder.path)) {
                    return folder;
                }
            }
            return OTHER;
        }
    }
}
