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

import static io.dstl.fs.arena.ChangeEffect.CREATES_SCOPE;
import static io.dstl.fs.arena.ChangeEffect.READS;
import static io.dstl.fs.arena.ChangeEffect.REMOVES_SCOPE;
import static io.dstl.fs.arena.ChangeEffect.REPLACES_SCOPE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CompactedReplayTest extends ArenaFixture {

    private static final List<String> SCOPES = List.of("a", "b", "c");

    /** Whatever there was before: all that is stored comes to the same as all that was written. */
    @Test
    void aReplayOfWhatIsStoredComesToTheSame() throws Exception {
        int unstored = 0;
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            Map<String, String> before = new HashMap<>();
            for (String scope : SCOPES) {
                if (random.nextBoolean()) {
                    before.put(scope, "before");
                }
            }
            Map<String, String> written = new HashMap<>(before);
            for (int i = 0; i < 30; i++) {
                String scope = SCOPES.get(random.nextInt(SCOPES.size()));
                String change = changeOf(scope, i, written.containsKey(scope), random);
                replay(change, written);
            }
            List<String> stored = stored();
            unstored += 30 - stored.size();

            Map<String, String> replayed = new HashMap<>(before);
            stored.forEach(change -> replay(change, replayed));
            assertThat(replayed).as("seed %s, of %s", seed, before).isEqualTo(written);
        }
        assertThat(unstored).isGreaterThan(2000);
    }

    private String changeOf(String scope, int number, boolean isThere, Random random)
            throws IOException {
        String data;
        ChangeEffect effect;
        switch (random.nextInt(8)) {
            case 0:
                data = "reads";
                effect = READS;
                break;
            case 1:
            case 2:
            case 3:
                data = "removes";
                effect = REMOVES_SCOPE;
                break;
            default:
                data = "sets" + number;
                effect = isThere || random.nextInt(4) == 0 ? REPLACES_SCOPE : CREATES_SCOPE;
                break;
        }
        change(0, scope, effect, data);
        return scope + " " + data;
    }

    /** What reads, takes over what is in the first scope. */
    private static void replay(String change, Map<String, String> scopes) {
        String[] scopeAndData = change.split(" ");
        if (scopeAndData[1].equals("removes")) {
            scopes.remove(scopeAndData[0]);
        } else if (scopeAndData[1].equals("reads")) {
            scopes.put(scopeAndData[0], "read " + scopes.get(SCOPES.get(0)));
        } else {
            scopes.put(scopeAndData[0], scopeAndData[1]);
        }
    }
}
