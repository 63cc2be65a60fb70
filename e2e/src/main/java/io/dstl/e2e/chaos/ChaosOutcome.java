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
package io.dstl.e2e.chaos;

import io.dstl.e2e.chaos.Schedule.FaultKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a chaos run has shown. Filled by the run's thread, read when it is over. */
public final class ChaosOutcome {
    private final long seed;
    private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Integer> withoutEffect = new EnumMap<>(FaultKind.class);
    private final Map<RestartCause, Integer> restarts = new EnumMap<>(RestartCause.class);
    private final List<String> facts = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    ChaosOutcome(long seed) {
        this.seed = seed;
    }

    /**
     * @param withoutEffect of those begun, how many have put nothing wrong
     */
    void faults(Map<FaultKind, Integer> begun, Map<FaultKind, Integer> withoutEffect) {
        faults.putAll(begun);
        this.withoutEffect.putAll(withoutEffect);
    }

    private String title(FaultKind kind) {
        Integer number = withoutEffect.get(kind);
        return number == null ? kind.title : kind.title + ", " + number + " without effect";
    }

    void restart(RestartCause cause) {
        restarts.merge(cause, 1, Integer::sum);
    }

    int count(RestartCause cause) {
        return restarts.getOrDefault(cause, 0);
    }

    /** Something worth telling. */
    void fact(String text) {
        facts.add(text);
    }

    /** Something that must not be. */
    void failure(String text) {
        failures.add(text);
    }

    /** The job came to the end of its input while faults were still to come, or the quiet. */
    void inputEndedEarly() {
        failure(
                "the input was read before the time was over, so faults may have met no job. The"
                        + " machine is too slow for this run: repeat it on a machine with more"
                        + " cores, or with less beside it");
    }

    /** Whether nothing was found that must not be. */
    public boolean isClean() {
        return failures.isEmpty();
    }

    public long seed() {
        return seed;
    }

    /**
     * Puts the whole directory of a run that has failed aside, out of the way of the next; its
     * processes have ended. Returns where to.
     */
    public Path keepEvidence(Path run, Clock clock) throws IOException {
        Files.writeString(run.resolve("outcome.txt"), summary() + "\n", StandardCharsets.UTF_8);
        String name = "chaos-seed-" + seed + "-" + clock.instant().getEpochSecond();
        return Files.move(run, run.resolveSibling(name));
    }

    /** For the reader of the run. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        text.append("faults by kind:\n");
        faults.forEach(
                (kind, number) ->
                        text.append(
                                String.format(Locale.ROOT, "  %3d  %s%n", number, title(kind))));
        text.append("restarts and changes of leader:\n");
        for (RestartCause cause : RestartCause.values()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "  %3d  %s%n",
                            restarts.getOrDefault(cause, 0),
                            cause.title()));
        }
        facts.forEach(fact -> text.append(fact).append('\n'));
        failures.forEach(failure -> text.append("WRONG: ").append(failure).append('\n'));
        text.append(isClean() ? "nothing was wrong" : failures.size() + " things were wrong");
        return text.append("; seed ").append(seed).toString();
    }

    /** For the page of the docs. */
    public String table(String command, String commit) {
        StringBuilder text = new StringBuilder("| Fault | Times |\n|---|--:|\n");
        faults.forEach(
                (kind, number) ->
                        text.append("| ")
                                .append(title(kind))
                                .append(" | ")
                                .append(number)
                                .append(" |\n"));
        text.append("\n| Restarts and changes of leader | Times |\n|---|--:|\n");
        for (RestartCause cause : RestartCause.values()) {
            text.append("| ")
                    .append(cause.title())
                    .append(" | ")
                    .append(restarts.getOrDefault(cause, 0))
                    .append(" |\n");
        }
        text.append('\n');
        facts.forEach(fact -> text.append("- ").append(fact).append('\n'));
        return text.append("\n`")
                .append(command)
                .append("` · commit ")
                .append(commit)
                .append('\n')
                .toString();
    }
}
