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
package io.dstl.tools.inspect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;

class MetadataRecordTest {

    @Test
    void readsNameKindAndTypes() throws IOException {
        MetadataRecord read =
                MetadataRecord.read(
                        Records.describe(
                                300,
                                "visits",
                                StateDescriptor.Type.MAP,
                                new MapSerializer<>(
                                        StringSerializer.INSTANCE, LongSerializer.INSTANCE)));
        assertThat(read.id()).isEqualTo((short) 300);
        assertThat(read.state().name()).isEqualTo("visits");
        assertThat(read.state().kind()).isEqualTo(DescribedState.Kind.MAP);
        assertThat(read.state().entryKeys()).contains(StringSerializer.INSTANCE);
        assertThat(read.state().entryValues()).contains(LongSerializer.INSTANCE);
        assertThat(read.state().namespaces()).contains(VoidNamespaceSerializer.INSTANCE);
    }

    @Test
    void aClassThatIsNotThereHidesNothingElse() throws IOException {
        byte[] record =
                Records.describe(3, "account", StateDescriptor.Type.VALUE, LongSerializer.INSTANCE);
        String missing =
                new String(record, ISO_8859_1)
                        .replace("base.LongSerializer", "gone.LongSerializer");
        MetadataRecord read = MetadataRecord.read(missing.getBytes(ISO_8859_1));
        assertThat(read.id()).isEqualTo((short) 3);
        assertThat(read.state().name()).isEqualTo("account");
        assertThat(read.state().values()).isEmpty();
        assertThat(read.state().namespaces()).contains(VoidNamespaceSerializer.INSTANCE);
    }

    @Test
    void readsAQueue() throws IOException {
        MetadataRecord read = MetadataRecord.read(Records.describeQueue(4, "timers"));
        assertThat(read.state().kind()).isEqualTo(DescribedState.Kind.QUEUE);
    }

    @Test
    void refusesWhatIsNoMetadata() {
        assertThatThrownBy(() -> MetadataRecord.read(Records.set(1, "a", "b")))
                .isInstanceOf(IOException.class);
        byte[] cut = new byte[9];
        cut[0] = 8;
        assertThatThrownBy(() -> MetadataRecord.read(cut)).isInstanceOf(IOException.class);
    }
}
