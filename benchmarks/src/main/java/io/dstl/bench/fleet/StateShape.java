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
package io.dstl.bench.fleet;

import java.util.Locale;

/**
 * What a checkpoint of one real task refers to, on average: how many pieces of which size. The
 * simulated tasks take after it. Immutable.
 */
final class StateShape {
    /** Files that checkpoints share, stored. */
    final Pieces files;

    /** The same, but so small that they are in the handle itself. */
    final Pieces inlineFiles;

    /** Of one checkpoint, or materialization, alone; stored. */
    final Pieces own;

    /** The same, but in the handle itself. */
    final Pieces inlineOwn;

    /** Changes of a task in one segment of the log. */
    final long logBytes;

    StateShape(Pieces files, Pieces inlineFiles, Pieces own, Pieces inlineOwn, long logBytes) {
        this.files = files;
        this.inlineFiles = inlineFiles;
        this.own = own;
        this.inlineOwn = inlineOwn;
        this.logBytes = logBytes;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "shared files: %s; in the handle: %s; own: %s; own, in the handle: %s; log: %,d B",
                files,
                inlineFiles,
                own,
                inlineOwn,
                logBytes);
    }

    /** Pieces of state of one kind in a task's handle. Immutable. */
    static final class Pieces {
        /** On average. */
        final double count;

        /** Of one of them, on average. */
        final long bytes;

        /** How many are new at each snapshot of the backend. */
        final double added;

        Pieces(double count, long bytes, double added) {
            this.count = count;
            this.bytes = bytes;
            this.added = added;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%.1f of %,d B, %.1f of them new", count, bytes, added);
        }
    }
}
