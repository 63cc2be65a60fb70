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
package io.dstl.tools.orphans;

import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import org.apache.flink.core.fs.Path;

/** Shows what the search finds, as it finds it, and the sums at the end. For one thread. */
interface OrphanReport {

    /** Once, before all else. */
    void checkpoints(RetainedReferences references) throws IOException;

    /** That was found, and is deleted later if that is wanted. */
    void orphan(StoredFile orphan) throws IOException;

    /** That is left alone, with all that may be behind it. */
    void link(Path link) throws IOException;

    /** That could not be deleted. */
    void failed(StoredFile orphan, Exception cause) throws IOException;

    /**
     * Once, after all else.
     *
     * @param complete false where the search was stopped, so that these are the sums so far
     */
    void sums(OrphanFindings findings, boolean deleting, boolean complete) throws IOException;
}
