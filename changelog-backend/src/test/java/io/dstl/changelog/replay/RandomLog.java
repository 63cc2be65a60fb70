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
package io.dstl.changelog.replay;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.RandomChanges;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.IntSerializer;

/** A log of random changes to every kind of state, as our backend writes it. */
final class RandomLog {
    private static final int CHANGES = 3000;

    private RandomLog() {}

    /**
     * Several change sets, with each state described more than once.
     *
     * @param directory empty
     */
    static byte[][] changeSets(Path directory, Random random, int keys) throws Exception {
        List<Integer> all = IntStream.range(0, keys).boxed().collect(Collectors.toList());
        try (LoggedBackend<Integer> recorded =
                new LoggedBackend<>(Delegate.ROCKSDB, directory, IntSerializer.INSTANCE)) {
            RandomChanges changes = new RandomChanges(recorded, all, random);
            List<byte[]> sets = new ArrayList<>();
            for (int i = 0; i < CHANGES; i++) {
                changes.next();
                if (random.nextInt(300) == 0) {
                    sets.add(HandWrittenLog.changeSet(recorded));
                }
                if (random.nextInt(1000) == 0) {
                    recorded.recorder.startNewRound();
                }
            }
            sets.add(HandWrittenLog.changeSet(recorded));
            return sets.toArray(new byte[0][]);
        }
    }
}
