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
package io.dstl.changelog.state;

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of the kinds of state have in common: keys are ints, namespaces longs. */
abstract class LoggedStateTest {
    @TempDir Path directory;

    LoggedBackend<Integer> backend;

    /** Opens the backend with key 7 current. */
    void open(Delegate kind) throws Exception {
        backend = new LoggedBackend<>(kind, directory, INTS);
        backend.setCurrentKey(7);
    }

    @AfterEach
    void close() throws Exception {
        backend.close();
    }

    /** The changes since the last call as text; data is read by the serializers given. */
    List<String> changes(TypeSerializer<?>... data) throws Exception {
        List<String> texts = new ArrayList<>();
        for (RecordedChange change : backend.changes()) {
            texts.add(text(change, data));
        }
        return texts;
    }

    private static String text(RecordedChange change, TypeSerializer<?>... data) throws Exception {
        switch (change.op()) {
            case CLEAR:
                return change.describe(INTS, LONGS);
            default:
                return change.describe(INTS, LONGS, data);
        }
    }
}
