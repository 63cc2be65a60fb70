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

import io.dstl.fs.segment.SegmentCorruptedException;
import io.dstl.secret.Redaction;
import io.dstl.tools.cli.ConnectionPool;
import io.dstl.tools.cli.OneLine;

/** Says in one line what is wrong with a segment, which is named beside it. */
final class DamageText {
    private DamageText() {}

    static String of(Exception cause, Redaction redaction) {
        String text =
                cause instanceof SegmentCorruptedException
                        ? ((SegmentCorruptedException) cause).damage()
                        : cause.getMessage() == null ? cause.toString() : cause.getMessage();
        String remedy = ConnectionPool.remedy(cause).map(advice -> "; " + advice).orElse("");
        return OneLine.of(redaction.text(text)) + remedy;
    }
}
