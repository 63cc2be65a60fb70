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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a PromQL expression reads: its selectors, and the labels that it groups or joins by.
 * Immutable.
 *
 * <p>Knows the tokens of the language, not its grammar: an expression that Prometheus refuses may
 * pass. A name that it does not know as a word of the language counts as a metric.
 */
final class PromQl {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'"
                            + "|\\[[^\\]]*\\]"
                            + "|[a-zA-Z_:][a-zA-Z0-9_:]*"
                            + "|\\d[\\w.]*"
                            + "|[!=]~|[!=<>]=|\\S");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");

    private static final Set<String> AGGREGATIONS =
            words("sum min max avg count topk bottomk quantile stddev stdvar group count_values");

    private static final Set<String> BEFORE_LABELS =
            words("by without on ignoring group_left group_right");

    private static final Set<String> WORDS = words("and or unless bool offset inf nan");

    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> grouping = new TreeSet<>();

    private PromQl() {}

    static PromQl parse(String expression) {
        PromQl parsed = new PromQl();
        List<String> tokens = tokens(expression);
        int at = 0;
        while (at < tokens.size()) {
            String token = tokens.get(at++);
            String next = at < tokens.size() ? tokens.get(at) : "";
            if (BEFORE_LABELS.contains(token)) {
                int end = next.equals("(") ? tokens.subList(at, tokens.size()).indexOf(")") : 0;
                parsed.grouping.addAll(names(tokens.subList(at, at + end)));
                at += end;
            } else if (isMetric(token, next)) {
                int end = next.equals("{") ? tokens.subList(at, tokens.size()).indexOf("}") : 0;
                parsed.selectors.add(new Selector(token, names(tokens.subList(at, at + end))));
                at += end;
            }
        }
        return parsed;
    }

    private static boolean isMetric(String token, String next) {
        return NAME.matcher(token).matches()
                && !next.equals("(")
                && !AGGREGATIONS.contains(token)
                && !WORDS.contains(token);
    }

    private static List<String> tokens(String expression) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(expression);
        while (matcher.find()) {
            tokens.add(matcher.group());
        }
        return tokens;
    }

    private static Set<String> names(List<String> tokens) {
        Set<String> names = new TreeSet<>();
        for (String token : tokens) {
            if (NAME.matcher(token).matches()) {
                names.add(token);
            }
        }
        return names;
    }

    private static Set<String> words(String text) {
        return new HashSet<>(Arrays.asList(text.split(" ")));
    }

    /** In the order of the expression. */
    List<Selector> selectors() {
        return Collections.unmodifiableList(selectors);
    }

    /** Labels after {@code by}, {@code on} and the like. */
    Set<String> grouping() {
        return Collections.unmodifiableSet(grouping);
    }

    /** A metric, and the labels by which it selects of its series. Immutable. */
    static final class Selector {
        final String metric;
        final Set<String> labels;

        private Selector(String metric, Set<String> labels) {
            this.metric = metric;
            this.labels = Collections.unmodifiableSet(labels);
        }

        @Override
        public String toString() {
            return metric + labels;
        }
    }
}
