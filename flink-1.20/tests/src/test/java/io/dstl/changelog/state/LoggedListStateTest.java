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
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static java.util.Arrays.asList;
import static java.util.Collections.emptyList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OnEachDelegate;
import java.util.AbstractList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoggedListStateTest extends LoggedStateTest {
    private static final TypeSerializer<?> LIST = new ListSerializer<>(STRINGS);

    private InternalListState<Integer, Long, String> state;

    @Override
    void open(Delegate kind) throws Exception {
        super.open(kind);
        create();
        state.setCurrentNamespace(1L);
    }

    private void create() throws Exception {
        state = backend.state(LONGS, new ListStateDescriptor<>("list", STRINGS));
    }

    @OnEachDelegate
    void logsWhatIsAdded(Delegate kind) throws Exception {
        open(kind);
        state.add("a");
        assertThat(changes(STRINGS)).containsExactly("ADD_ELEMENT key=7 ns=1 a");
        state.addAll(asList("b", "c"));
        assertThat(changes(LIST)).containsExactly("ADD key=7 ns=1 [b, c]");
        assertThat(state.get()).containsExactly("a", "b", "c");
    }

    @OnEachDelegate
    void aNullAmongTheElementsChangesNothing(Delegate kind) throws Exception {
        open(kind);
        state.add("a");
        assertThatThrownBy(() -> state.addAll(asList("b", null)))
                .isInstanceOf(NullPointerException.class)
                .hasMessageMatching(
                        "You cannot add null to .*|.*a null among the elements to be added to list"
                                + " state 'list'.*");
        assertThat(state.get()).containsExactly("a");
        assertThat(changes(STRINGS)).containsExactly("ADD_ELEMENT key=7 ns=1 a");
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    /** Its elements are others each time. */
    @OnEachDelegate
    void logsTheElementsThatTheDelegateHas(Delegate kind) throws Exception {
        open(kind);
        AtomicInteger made = new AtomicInteger();
        state.update(
                new AbstractList<>() {
                    @Override
                    public String get(int index) {
                        return String.valueOf(made.incrementAndGet());
                    }

                    @Override
                    public int size() {
                        return 2;
                    }
                });

        assertThat(changes(LIST)).containsExactly("SET key=7 ns=1 " + state.getInternal());
    }

    @OnEachDelegate
    void logsTheListThatReplaces(Delegate kind) throws Exception {
        open(kind);
        state.update(asList("a", "b"));
        state.updateInternal(asList("c", "d"));
        state.clear();
        assertThat(changes(LIST))
                .containsExactly(
                        "SET key=7 ns=1 [a, b]",
                        "SET_INTERNAL key=7 ns=1 [c, d]",
                        "CLEAR key=7 ns=1");
        assertThat(state.get()).isNull();
    }

    @OnEachDelegate
    void anEmptyUpdateIsARemovalAndAddingNothingNoChange(Delegate kind) throws Exception {
        open(kind);
        state.addAll(emptyList());
        assertThat(backend.log.take()).isEmpty();
        state.add("a");
        changes(STRINGS);
        state.update(emptyList());
        assertThat(changes()).containsExactly("CLEAR key=7 ns=1");
        assertThat(state.get()).isNull();
    }

    @OnEachDelegate
    void nullIsRefusedAndNotLogged(Delegate kind) throws Exception {
        open(kind);
        assertThatThrownBy(() -> state.add(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> state.addAll(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> state.update(null)).isInstanceOf(NullPointerException.class);
        assertThat(backend.log.take()).isEmpty();
        backend.recorder.checkComplete();
    }

    @OnEachDelegate
    void logsAMergeBeforeAnyNamespaceWasSet(Delegate kind) throws Exception {
        super.open(kind);
        create();
        state.mergeNamespaces(9L, asList(1L, 2L));
        assertThat(mergeChanges()).containsExactly("MERGE_NS key=7 ns=9 9 2 1 2");
    }

    @OnEachDelegate
    void mergesAndStaysInItsNamespace(Delegate kind) throws Exception {
        open(kind);
        state.add("a");
        state.setCurrentNamespace(2L);
        state.add("b");
        state.setCurrentNamespace(5L);
        changes(STRINGS);

        state.mergeNamespaces(9L, asList(1L, 2L));
        assertThat(mergeChanges()).containsExactly("MERGE_NS key=7 ns=9 9 2 1 2");
        state.add("in five");
        assertThat(changes(STRINGS)).containsExactly("ADD_ELEMENT key=7 ns=5 in five");
        assertThat(state.get()).containsExactly("in five");
        state.setCurrentNamespace(9L);
        assertThat(state.get()).containsExactly("a", "b");
        state.setCurrentNamespace(1L);
        assertThat(state.get()).isNull();
    }

    @ParameterizedTest
    @EnumSource(value = Delegate.class, names = "ROCKSDB") // the heap refuses null
    void leavesNullSourcesOut(Delegate kind) throws Exception {
        open(kind);
        state.mergeNamespaces(9L, asList(1L, null, 2L));
        assertThat(mergeChanges()).containsExactly("MERGE_NS key=7 ns=9 9 2 1 2");
    }

    @OnEachDelegate
    void aMergeOfNothingIsNotLogged(Delegate kind) throws Exception {
        open(kind);
        state.mergeNamespaces(9L, emptyList());
        state.mergeNamespaces(9L, null);
        assertThat(backend.log.take()).isEmpty();
    }

    private Iterable<String> mergeChanges() throws Exception {
        LongSerializer namespaces = LONGS;
        return changes(namespaces, INTS, namespaces, namespaces);
    }
}
