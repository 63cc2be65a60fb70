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
package io.dstl.bench.micro;

import io.dstl.bench.micro.PayloadKind.Payload;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A serializer alone, into memory: what the published figures without a state are held against. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SerializerBenchmark {

    @Benchmark
    public int serialize(Values values) throws IOException {
        return values.writeNext();
    }

    /** What is serialized, and where to. */
    @State(Scope.Thread)
    public static class Values {
        private final DataOutputSerializer out = new DataOutputSerializer(4096);
        private Written<?> written;

        @Setup(Level.Trial)
        public void open(Scene scene) {
            written = new Written<>(Payloads.of(PayloadKind.of(scene.serializer)));
        }

        private int writeNext() throws IOException {
            out.clear();
            written.writeNext(out);
            return out.length();
        }
    }

    private static final class Written<T> {
        private final Payload<T> payload;
        private final TypeSerializer<T> serializer;

        Written(Payload<T> payload) {
            this.payload = payload;
            this.serializer = payload.serializer();
        }

        void writeNext(DataOutputSerializer out) throws IOException {
            serializer.serialize(payload.next(), out);
        }
    }
}
