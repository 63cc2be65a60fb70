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
package io.dstl.parity.state;

import io.dstl.parity.model.Cast;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;

/** A state to be tested: its kind, its types and whether it has a time to live. */
public abstract class StateCase {

    public static final int CHOICES = 10;

    /** Longer than a golden file will be kept, so that nothing expires. */
    private static final Duration LIFE = Duration.ofDays(36_500);

    private final String name;
    private final boolean mortal;

    StateCase(String name, boolean mortal) {
        this.name = name;
        this.mortal = mortal;
    }

    /** Those of a job: every kind, and each serializer with some kind. */
    public static List<StateCase> of(Cast cast) {
        if (cast == Cast.EVERY_STATE_WITHOUT_KRYO) {
            return with(Sample.FLAT_POJO);
        }
        List<StateCase> all = new ArrayList<>(with(Sample.POJO));
        all.add(new ValueCase<>("value-kryo", Sample.KRYO, false));
        all.add(new MapCase<>("map-kryo", Sample.KRYO, false));
        return all;
    }

    private static List<StateCase> with(Sample<?> pojo) {
        return List.of(
                new ValueCase<>("value-long", Sample.LONG, false),
                new ValueCase<>("value-string", Sample.STRING, false),
                new ValueCase<>("value-pojo", pojo, false),
                new ValueCase<>("value-tuple", Sample.TUPLE, false),
                new ValueCase<>("value-avro-specific", Sample.AVRO_SPECIFIC, false),
                new ValueCase<>("value-avro-generic", Sample.AVRO_GENERIC, false),
                new ValueCase<>("value-ttl", pojo, true),
                ValueCase.withDefault("value-default"),
                new ListCase<>("list-long", Sample.LONG, false),
                new ListCase<>("list-pojo", pojo, false),
                new ListCase<>("list-ttl", Sample.STRING, true),
                new MapCase<>("map-long", Sample.LONG, false),
                new MapCase<>("map-ttl", Sample.TUPLE, true),
                AppendingCase.reducing("reducing", false),
                AppendingCase.reducing("reducing-ttl", true),
                AppendingCase.aggregating("aggregating", false),
                AppendingCase.aggregating("aggregating-ttl", true));
    }

    public final String name() {
        return name;
    }

    /** Registers the state. */
    public abstract Cell inFlink(RuntimeContext context);

    public abstract Cell inModel();

    final <D extends StateDescriptor<?, ?>> D described(D descriptor) {
        if (mortal) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(LIFE).build());
        }
        return descriptor;
    }

    /**
     * One state of one key: kept by Flink, or by plain collections that say what Flink's must be.
     * The key is the current one.
     */
    public interface Cell {

        /**
         * Changes the content.
         *
         * @param ordinal what is written is made from it
         * @param choice from 0 to {@link StateCase#CHOICES}, exclusive: the operation
         */
        void apply(long ordinal, int choice) throws Exception;

        /** The content as text, the same for equal contents. Reads it as a user would. */
        String show() throws Exception;
    }
}
