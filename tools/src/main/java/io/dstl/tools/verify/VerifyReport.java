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

import java.io.IOException;
import java.util.Collection;

/** Shows what is found, as it is found, and the sums at the end. For one thread. */
interface VerifyReport {

    /** One that is not {@link Verdict#INTACT}. */
    void finding(Finding finding) throws IOException;

    /** Once, at the end. */
    void sums(Collection<VerifiedCheckpoint> checkpoints, Sums sums) throws IOException;
}
