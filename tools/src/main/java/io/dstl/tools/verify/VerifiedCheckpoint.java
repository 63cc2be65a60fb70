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
package io.dstl.tools.verify;

import io.dstl.tools.checkpoint.Directory;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.core.fs.Path;

/** One checkpoint that is verified, and what has been found of it so far. For one thread. */
final class VerifiedCheckpoint {
    private final Path path;
    private final Map<Verdict, Integer> objects = new EnumMap<>(Verdict.class);
    private boolean gone;

    /**
     * @param path of its metadata; as given, where that was not found
     */
    VerifiedCheckpoint(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    void add(Verdict verdict) {
        objects.merge(verdict, 1, Integer::sum);
    }

    /**
     * Looks whether it is still there: as it is not, what it lacks is no damage.
     *
     * <p>Asks the store, and never again once it is gone.
     */
    void lookAgain() {
        gone = gone || Directory.isGone(path);
    }

    boolean isGone() {
        return gone;
    }

    /** How many objects of it, its metadata among them, are known to be so. */
    int count(Verdict verdict) {
        return objects.getOrDefault(verdict, 0);
    }

    /**
     * Of all objects together: {@link Verdict#INTACT}, {@link Verdict#DAMAGED} if any is damaged or
     * missing, {@link Verdict#UNCHECKED} if that is not known, or {@link Verdict#GONE}.
     */
    Verdict verdict() {
        if (gone) {
            return Verdict.GONE;
        }
        if (count(Verdict.MISSING) + count(Verdict.DAMAGED) > 0) {
            return Verdict.DAMAGED;
        }
        return count(Verdict.UNREADABLE) + count(Verdict.UNCHECKED) > 0
                ? Verdict.UNCHECKED
                : Verdict.INTACT;
    }
}
