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
package io.dstl.secret;

import static java.util.Objects.requireNonNull;

/**
 * What may be shown of an object in a log line or a message: its text, with the credentials of URIs
 * hidden. Where a path carries them ({@code s3://key:secret@bucket}), so does the name of each
 * segment under it.
 *
 * <p>Formed when it is asked for, so that a log line that is not written costs nothing.
 */
public final class Redacted {

    private static final String HIDDEN = "***";

    private final Object object;

    private Redacted(Object object) {
        this.object = object;
    }

    /**
     * @param object its text is taken at each {@link #toString}
     */
    public static Redacted of(Object object) {
        return new Redacted(requireNonNull(object));
    }

    /** The text without the credentials of the URIs in it. */
    public static String text(String text) {
        return UriCredentials.replaced(text, HIDDEN);
    }

    @Override
    public String toString() {
        return text(String.valueOf(object));
    }
}
