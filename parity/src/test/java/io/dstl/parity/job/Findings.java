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
package io.dstl.parity.job;

import io.dstl.parity.model.Cast;
import io.dstl.parity.model.Windows;
import io.dstl.parity.model.Windows.Kind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a job has found in a leg: the last audit of each key, and the windows that have fired.
 *
 * <p>Guarded by the stage.
 */
final class Findings {

    private final int firstRound;
    private final int roundsInFlight;
    private final Map<String, Kind> windowed;
    private final Map<String, Map<String, Audit>> audits = new TreeMap<>();
    private final Map<String, Map<String, String>> windows = new TreeMap<>();

    /**
     * @param roundsInFlight how many rounds before the first may still fire windows
     */
    Findings(Cast cast, int firstRound, int roundsInFlight) {
        this.firstRound = firstRound;
        this.roundsInFlight = roundsInFlight;
        this.windowed = cast.isOfEveryState() ? ParityJob.WINDOWED : Map.of();
        audited(cast).forEach(operator -> audits.put(operator, new TreeMap<>()));
        windowed.keySet().forEach(operator -> windows.put(operator, new TreeMap<>()));
    }

    private static List<String> audited(Cast cast) {
        switch (cast) {
            case SCHEMA:
                return List.of(SchemaJob.NAME);
            case NULL_TEXTS:
            case NULL_NUMBERS:
                return List.of(NullJob.NAME);
            case ASYNCHRONOUS:
                return List.of(AsyncJob.NAME);
            default:
                return ParityJob.AUDITED;
        }
    }

    void audited(String operator, String key, int round, String content) {
        audits.get(operator).put(key, new Audit(round, content));
    }

    /** The job starts anew from a checkpoint, and audits the rounds after that once more. */
    void forgetAudits() {
        audits.values().forEach(Map::clear);
    }

    void fired(String operator, String window, String content) {
        String before = windows.get(operator).put(window, content);
        if (before != null && !before.equals(content)) {
            throw new IllegalStateException(
                    operator + " " + window + " was " + before + " and is " + content);
        }
    }

    /** Whether all there is to be found before the round has been. */
    boolean complete(List<String> keys, int endRound) {
        return audits.values().stream().allMatch(of -> audited(of, keys, endRound - 1))
                && windowed.keySet().stream()
                        .allMatch(
                                operator ->
                                        windows.get(operator)
                                                .keySet()
                                                .containsAll(
                                                        expected(operator, keys, 0, endRound)
                                                                .keySet()));
    }

    private static boolean audited(Map<String, Audit> audits, List<String> keys, int round) {
        return keys.stream().allMatch(key -> audits.containsKey(key))
                && keys.stream().allMatch(key -> audits.get(key).round == round);
    }

    /** Throws if a window was not what it should be. */
    void check(List<String> keys, int endRound) {
        for (String operator : windowed.keySet()) {
            Map<String, String> possible = expected(operator, keys, roundsInFlight, endRound);
            Map<String, String> found = new TreeMap<>(windows.get(operator));
            found.keySet().removeIf(window -> !keys.contains(Windows.keyOf(window)));
            if (!possible.entrySet().containsAll(found.entrySet())) {
                throw new IllegalStateException(
                        operator + ": windows are " + found + ", and should be " + possible);
            }
        }
    }

    private Map<String, String> expected(
            String operator, List<String> keys, int roundsBefore, int endRound) {
        Map<String, String> expected = new TreeMap<>();
        Windows.fired(windowed.get(operator), keys, firstRound - roundsBefore, endRound)
                .forEach(
                        (window, ordinals) ->
                                expected.put(window, ParityJob.windowContent(operator, ordinals)));
        return expected;
    }

    /** What the last audits found, by operator and key. */
    Map<String, String> content(List<String> keys) {
        Map<String, String> content = new TreeMap<>();
        audits.forEach(
                (operator, found) ->
                        keys.forEach(
                                key -> content.put(operator + " " + key, found.get(key).content)));
        return content;
    }

    private static final class Audit {
        private final int round;
        private final String content;

        Audit(int round, String content) {
            this.round = round;
            this.content = content;
        }
    }
}
