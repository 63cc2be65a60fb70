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

import io.dstl.secret.Redaction.Redacted;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the credentials of the URIs in a text: the part before the {@code @} of an authority, such
 * as {@code key:secret} in {@code s3://key:secret@bucket}. An {@code @} in a path does not count,
 * nor does the container that Azure's schemes have there.
 *
 * <p>Owns where credentials are, not how they are shown: {@link Redacted}.
 */
public final class UriCredentials {

    /** From a scheme to the end of what may be its path. */
    private static final Pattern URI =
            Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(/{1,3})([^\\s\"'<>]*)");

    private static final Pattern AUTHORITY = Pattern.compile("[^/?#]*");
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^:@]*(:[0-9]*)?|\\[.*");

    private static final Set<String> WITH_CONTAINER = Set.of("abfs", "abfss", "wasb", "wasbs");

    private UriCredentials() {}

    /**
     * Whether URIs of that scheme have the name of a container before the {@code @}, where others
     * have credentials: those of Azure.
     */
    public static boolean hasContainer(String scheme) {
        return WITH_CONTAINER.contains(scheme.toLowerCase(Locale.ROOT));
    }

    /** Passes the credentials of each URI in the text, as they are written there. */
    public static void forEach(String text, Consumer<String> found) {
        Matcher uri = URI.matcher(text);
        int next = 0;
        while (uri.find(next)) {
            Optional<String> credentials = in(uri);
            credentials.ifPresent(found);
            next = endOf(uri, credentials);
        }
    }

    /** The text with something else in place of the credentials of each URI in it. */
    public static String replaced(String text, String replacement) {
        if (text.indexOf('@') < 0) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        int shownTo = 0;
        int next = 0;
        Matcher uri = URI.matcher(text);
        while (uri.find(next)) {
            Optional<String> credentials = in(uri);
            next = endOf(uri, credentials);
            if (credentials.isPresent()) {
                shown.append(text, shownTo, uri.start(3)).append(replacement);
                shownTo = next;
            }
        }
        return shown.append(text, shownTo, text.length()).toString();
    }

    /** Where the search goes on: an apparent path may be a list with another URI. */
    private static int endOf(Matcher uri, Optional<String> credentials) {
        return uri.start(3) + credentials.map(String::length).orElse(0);
    }

    private static Optional<String> in(Matcher uri) {
        String rest = uri.group(3);
        Matcher authority = AUTHORITY.matcher(rest);
        String name = authority.lookingAt() ? authority.group() : "";
        int end = name.lastIndexOf('@');
        if (end < 0 && !HOST_AND_PORT.matcher(name).matches()) {
            // A secret with a slash in it: the authority only seems to end there.
            end = rest.lastIndexOf('@');
        }
        return end < 0 || (mayBeAName(uri) && rest.lastIndexOf(':', end) < 0)
                ? Optional.empty()
                : Optional.of(rest.substring(0, end));
    }

    /** Whether it may be the name of a container, or of a file if the URI has no authority. */
    private static boolean mayBeAName(Matcher uri) {
        return hasContainer(uri.group(1)) || uri.group(2).length() != 2;
    }
}
