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
package io.dstl.harness.wait;

import java.time.Duration;

/** What was awaited did not come in time: the run ends, the logs say why. */
public final class DeadlineExpired extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DeadlineExpired(String what, Duration limit, String whereToLook) {
        super(message(what, limit, whereToLook));
    }

    private static String message(String what, Duration limit, String whereToLook) {
        String waited = "nothing moved for " + limit.toSeconds() + " s, waiting for " + what;
        return whereToLook.isEmpty() ? waited : waited + "; look into " + whereToLook;
    }
}
