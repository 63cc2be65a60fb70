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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.tools.checkpoint.MetadataFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.junit.jupiter.api.Test;

/** The lines of a long run, by a clock that is moved by hand. */
class ProgressTest extends VerifyFixture {
    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Progress progress = new Progress(new PrintWriter(err), clock::get);

    private List<StoredObject> objects() throws IOException {
        NeededObjects needed = new NeededObjects();
        needed.add(new VerifiedCheckpoint(null), readMetadata());
        return new ArrayList<>(needed.all());
    }

    private CheckpointMetadata readMetadata() throws IOException {
        return MetadataFile.at(new Path(older.toUri())).read();
    }

    @Test
    void saysEveryFiveSecondsHowFarItIs() throws IOException {
        List<StoredObject> objects = objects();
        progress.begin(objects);
        progress.show();
        clock.addAndGet(4_999);
        progress.show();
        assertThat(err.toString()).isEmpty();
        assertThat(progress.untilNextMillis()).isEqualTo(1);

        clock.addAndGet(1);
        progress.show();
        progress.show();
        String bytes = String.format("%,d", first.bytes() + second.bytes());
        assertThat(err.toString())
                .isEqualTo(
                        "Checked: 0 of 5 objects, of segments 0 of "
                                + bytes
                                + " bytes; time left not known yet\n");
        assertThat(progress.untilNextMillis()).isEqualTo(5_000);

        err.getBuffer().setLength(0);
        objects.stream().filter(StoredObject::isSegment).forEach(progress::done);
        clock.addAndGet(5_000);
        progress.show();
        // Two requests and few bytes in ten seconds, and three requests to go.
        assertThat(err.toString())
                .isEqualTo(
                        "Checked: 2 of 5 objects, of segments "
                                + bytes
                                + " of "
                                + bytes
                                + " bytes; about 15 s left\n");

        err.getBuffer().setLength(0);
        clock.addAndGet(590_000);
        progress.show();
        assertThat(err.toString()).endsWith("; about 15 min left\n");
    }
}
