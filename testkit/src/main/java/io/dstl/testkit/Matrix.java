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
package io.dstl.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which part of a matrix of tests runs: the cases that are the same test in another mode, on
 * another delegate, with another serializer.
 *
 * <p>The system property {@value #PROPERTY} says so:
 *
 * <ul>
 *   <li>absent or empty: the first case of each matrix, its representative;
 *   <li>{@code full}: all cases ({@code mvn -Pfull});
 *   <li>{@code K/N}, with N of at least 1: the representative, and of the others each Nth, from the
 *       Kth on. K may be any number from 0 on and counts round, so N runs with K one higher each
 *       time run all.
 * </ul>
 *
 * <p>Immutable. A case that is not selected is not reported as skipped: it is not part of the run.
 */
public final class Matrix {

    /** The system property. */
    public static final String PROPERTY = "dstl.matrix";

    private final boolean withOthers;
    private final int share;
    private final int shares;

    private Matrix(boolean withOthers, int share, int shares) {
        this.withOthers = withOthers;
        this.share = share;
        this.shares = shares;
    }

    /** What {@value #PROPERTY} of this process says. */
    public static Matrix ofThisRun() {
        return of(System.getProperty(PROPERTY, ""));
    }

    /**
     * @throws IllegalArgumentException for a text that is none of those above
     */
    public static Matrix of(String text) {
        if (text.isEmpty()) {
            return new Matrix(false, 0, 1);
        }
        if (text.equals("full")) {
            return new Matrix(true, 0, 1);
        }
        try {
            String[] numbers = text.split("/", 2);
            int shares = Integer.parseInt(numbers[1]);
            int share = Math.floorMod(Integer.parseInt(numbers[0]), shares);
            if (shares > 0) {
                return new Matrix(true, share, shares);
            }
        } catch (ArithmeticException | IndexOutOfBoundsException | NumberFormatException e) {
            throw new IllegalArgumentException(refusal(text), e);
        }
        throw new IllegalArgumentException(refusal(text));
    }

    /**
     * The cases that run, in their order.
     *
     * @param cases all of them, in the same order each time; the first is the representative
     */
    public <T> List<T> select(List<T> cases) {
        List<T> selected = new ArrayList<>();
        for (int position = 0; position < cases.size(); position++) {
            if (position == 0 || runsOther(position)) {
                selected.add(cases.get(position));
            }
        }
        return selected;
    }

    /** As {@link #select(List)}. */
    public <T> Stream<T> select(Stream<T> cases) {
        return select(cases.collect(Collectors.toList())).stream();
    }

    /**
     * Whether a case runs that is not the representative.
     *
     * @param position any number that stands for the case and stays the same
     */
    boolean runsOther(int position) {
        return withOthers && Math.floorMod(position, shares) == share;
    }

    private static String refusal(String text) {
        return PROPERTY
                + "="
                + text
                + ": give 'full' for all cases, K/N for every Nth (as 3/8), or nothing for the"
                + " first case of each matrix";
    }
}
