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
package io.dstl.fs.arena;

import static io.dstl.fs.arena.ChangeEffect.REPLACES_ENTRY;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;

/** An arena, and records that are readable text. */
abstract class ArenaFixture {

    static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 3);

    Arena arena = arena(true);

    static Arena arena(boolean compacted) {
        return new Arena(new ChunkPool(1 << 24), KEY_GROUPS, compacted);
    }

    int state = 1;

    final void change(int keyGroup, String scope, ChangeEffect effect, String data)
            throws IOException {
        DataOutputView out = begin(scope);
        arena.scopeEnds(effect);
        end(out, slot(keyGroup), " " + data);
    }

    final void entry(int keyGroup, String scope, String entry, String data) throws IOException {
        DataOutputView out = begin(scope);
        arena.scopeEnds(REPLACES_ENTRY);
        out.write(' ');
        arena.entryBegins();
        out.writeBytes(entry);
        arena.entryEnds();
        end(out, slot(keyGroup), "=" + data);
    }

    final void entryBehind(int keyGroup, String scope, int gap, String entry) throws IOException {
        DataOutputView out = begin(scope);
        arena.scopeEnds(REPLACES_ENTRY);
        out.writeBytes(" " + ".".repeat(gap));
        arena.entryBegins();
        end(out, slot(keyGroup), entry);
    }

    final DataOutputView begin(String scope) throws IOException {
        DataOutputView out = arena.beginRecord();
        out.write(7);
        out.writeShort(state);
        out.writeBytes(scope);
        return out;
    }

    final void end(DataOutputView out, int slot, String data) throws IOException {
        out.writeBytes(data);
        arena.endRecord(slot);
    }

    static int slot(int keyGroup) {
        return KeyGroupSlots.ofKeyGroup(KEY_GROUPS, keyGroup);
    }

    /** The texts of the records that are stored, without operation and state. */
    final List<String> stored() throws IOException {
        ChangeSet sealed = arena.seal();
        EffectiveRecords records = sealed.effective();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < records.count(); i++) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            sealed.copyRecords(records.record(i), records.record(i), bytes);
            ByteBuffer record = ByteBuffer.wrap(bytes.toByteArray());
            int length = record.getInt();
            assertThat(length).isEqualTo(record.remaining());
            texts.add(
                    new String(bytes.toByteArray(), 7, length - 3, StandardCharsets.ISO_8859_1)
                            .replaceAll("\\.{9,}", "......"));
        }
        return texts;
    }
}
