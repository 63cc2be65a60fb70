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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.StoreProvider.Decision;
import io.dstl.store.testing.ScriptedProvider;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.Test;

class StoreProvidersTest {

    private final StoreProviders providers =
            StoreProviders.of(new Configuration())
                    .with(new ScriptedProvider("one", "both"), ClientChoice.AUTO)
                    .with(new ScriptedProvider("both", "other"), ClientChoice.FILESYSTEM);

    private Decision decide(String path) {
        return providers.decide(new Path(path), new LocalFileSystem());
    }

    @Test
    void eachObjectStoreHasAChoiceOfItsOwn() {
        assertThat(decide("one://b/base").isDirect()).isTrue();
        assertThat(decide("other://b/base").isDirect()).isFalse();
    }

    @Test
    void theFirstThatAPathIsOnDecides() {
        assertThat(decide("both://b/base")).hasToString("the direct client for [one, both]");
        assertThat(decide("other://b/base")).hasToString("Flink's file system for [both, other]");
    }

    @Test
    void isFlinksFileSystemElsewhere() {
        Path elsewhere = new Path("file:///base");
        Decision decision = decide(elsewhere.toString());

        assertThat(providers.isOn(elsewhere)).isFalse();
        assertThat(decision.isDirect()).isFalse();
        assertThat(decision)
                .hasToString(
                        "Flink's file system (the path is on no object store with a direct client)");
        assertThatThrownBy(() -> decision.open(null, null, null, null, null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
