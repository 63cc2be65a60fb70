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
package io.dstl.e2e.flights.source;

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.input.FlightFile;
import io.dstl.e2e.flights.source.Lane.LaneSerializer;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePool;
import io.dstl.e2e.flights.source.LaneEnumerator.LanePoolSerializer;
import java.io.IOException;
import java.net.URI;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The repeated flights file as a bounded stream, each flight exactly once, at any parallelism up to
 * {@link Lane#COUNT} and across changes of it.
 *
 * <p>Every reader streams the file from disk and keeps none of it, so the scale costs no memory.
 * Each flight carries its scheduled departure as timestamp; those of one reader never decrease.
 */
public final class FlightSource
        implements Source<Flight, Lane, LanePool>, ResultTypeQueryable<Flight> {
    private final URI file;
    private final int repetitions;
    private final Pace.Starter pace;

    /**
     * @param file a gzipped flights file that every TaskManager can read
     * @param repetitions at least 1
     * @param pace that of each reader
     */
    public FlightSource(URI file, int repetitions, Pace.Starter pace) {
        this.file = file;
        this.repetitions = repetitions;
        this.pace = pace;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<Flight, Lane> createReader(SourceReaderContext context) {
        return new FlightReader(this::open, repetitions, pace);
    }

    private FlightFile open() throws IOException {
        Path path = new Path(file);
        return FlightFile.open(file.toString(), path.getFileSystem().open(path));
    }

    @Override
    public SplitEnumerator<Lane, LanePool> createEnumerator(SplitEnumeratorContext<Lane> context) {
        return new LaneEnumerator(context, LanePool.full());
    }

    @Override
    public SplitEnumerator<Lane, LanePool> restoreEnumerator(
            SplitEnumeratorContext<Lane> context, LanePool pool) {
        return new LaneEnumerator(context, pool);
    }

    @Override
    public SimpleVersionedSerializer<Lane> getSplitSerializer() {
        return new LaneSerializer();
    }

    @Override
    public SimpleVersionedSerializer<LanePool> getEnumeratorCheckpointSerializer() {
        return new LanePoolSerializer();
    }

    @Override
    public TypeInformation<Flight> getProducedType() {
        return TypeInformation.of(Flight.class);
    }
}
