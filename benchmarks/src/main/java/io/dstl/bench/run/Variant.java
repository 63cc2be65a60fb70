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

import java.util.List;
import java.util.Locale;

/** What keeps the job's state safe. */
public enum Variant {
    /** RocksDB's incremental checkpoints, no changelog. */
    OFF,
    /** Flink's own changelog. */
    STOCK,
    /** Ours. */
    DSTL,
    /** Flink 2's ForSt, which keeps its files in the checkpoints' store, no changelog. */
    FORST;

    /** Those that run on every Flink. */
    static final List<Variant> USUAL = List.of(OFF, STOCK, DSTL);

    /** For paths, headings and the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean changelog() {
        return this == STOCK || this == DSTL;
    }

    /** Which savepoint it can write, as Flink names it. */
    String savepointFormat() {
        return this == FORST ? "NATIVE" : "CANONICAL";
    }

    /** One of the runs of a benchmark: a variant and the how many-th time. */
    public static final class RunName {
        public final Variant variant;
        public final int repetition;

        /**
         * @param repetition from 1 on
         */
        public RunName(Variant variant, int repetition) {
            this.variant = variant;
            this.repetition = repetition;
        }

        /** For paths and headings. */
        @Override
        public String toString() {
            return variant.label() + "-" + repetition;
        }
    }

    /** The state backend below the changelog, or alone. */
    public enum Delegate {
        ROCKSDB,
        HASHMAP;

        /** As {@code state.backend.type} has it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
