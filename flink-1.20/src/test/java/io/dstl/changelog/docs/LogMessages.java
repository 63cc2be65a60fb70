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
package io.dstl.changelog.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Each message that main code logs at INFO or above, as it stands in the sources. */
final class LogMessages {

    private static final List<String> MODULES =
            Arrays.asList(
                    "shared-registry",
                    "segment-store",
                    "segment-store-s3",
                    "dstl-fs",
                    "materializer",
                    "changelog-backend",
                    "flink-1.20");

    private static final Pattern CALL =
            Pattern.compile(
                    "LOG\\.(info|warn|error)\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)");

    private static final Pattern ANY_CALL = Pattern.compile("LOG\\.(info|warn|error)\\(");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private LogMessages() {}

    /** The message, with its place holders, and its level in capitals. */
    static Map<String, String> find() throws IOException {
        Map<String, String> messages = new TreeMap<>();
        for (String module : MODULES) {
            for (Path source : sources(module)) {
                String text = Files.readString(source);
                Matcher call = CALL.matcher(text);
                int found = 0;
                while (call.find()) {
                    messages.put(joined(call.group(2)), call.group(1).toUpperCase(Locale.ROOT));
                    found++;
                }
                if (found != ANY_CALL.matcher(text).results().count()) {
                    throw new IllegalStateException(
                            source
                                    + " logs a message that is not a literal: it can't be documented");
                }
            }
        }
        return messages;
    }

    private static List<Path> sources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(DocsPage.ROOT.resolve(module).resolve("src/main"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static String joined(String literals) {
        StringBuilder message = new StringBuilder();
        Matcher literal = LITERAL.matcher(literals);
        while (literal.find()) {
            message.append(literal.group(1));
        }
        return message.toString();
    }
}
