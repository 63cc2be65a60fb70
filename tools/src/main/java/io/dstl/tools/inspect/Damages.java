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
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ConnectionPool;
import io.dstl.tools.cli.OneLine;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.core.fs.Path;

/**
 * What is wrong with segments: with the first ones that were found, and how many there are in all.
 * So a log of which nothing can be read takes no more memory than one that is intact.
 *
 * <p>For one thread.
 */
final class Damages {
    /** The store is at fault, or the access to it, if it does not give so many. */
    static final int MOST_UNREACHABLE = 100;

    private final int most;
    private final Map<String, String> first = new LinkedHashMap<>();
    private long count;

    /**
     * @param most segments that are named
     */
    Damages(int most) {
        this.most = most;
    }

    /** Says in one line what is wrong with a segment, which is named beside it. */
    static String text(Exception cause, Redaction redaction) {
        String text =
                cause instanceof SegmentCorruptedException
                        ? ((SegmentCorruptedException) cause).damage()
                        : cause.getMessage() == null ? cause.toString() : cause.getMessage();
        String remedy = ConnectionPool.remedy(cause).map(advice -> "; " + advice).orElse("");
        return OneLine.of(redaction.text(text)) + remedy;
    }

    /**
     * To be thrown at {@link #MOST_UNREACHABLE} segments.
     *
     * @param last of them
     * @param cause on one line, without secrets
     */
    static CommandFailure unreachable(Path last, String cause) {
        return CommandFailure.stopped(
                "Stopped: "
                        + MOST_UNREACHABLE
                        + " segments can't be reached, the last of them "
                        + Redacted.of(last)
                        + ": "
                        + cause
                        + ". See to the store, the way there and the credentials",
                null);
    }

    /**
     * @param segment which has not been added before, without secrets
     * @param cause on one line, without secrets; asked for only if it is going to be shown
     */
    void add(String segment, Supplier<String> cause) {
        count++;
        if (first.size() < most) {
            first.put(segment, cause.get());
        }
    }

    /** By the paths of the segments, in the order in which they were found. */
    Map<String, String> first() {
        return Collections.unmodifiableMap(first);
    }

    /** Of all of them. */
    long count() {
        return count;
    }
}
