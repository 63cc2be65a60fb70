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

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;

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
 * <p>Immutable. A case that is not selected is not part of the run, and not reported. A test of
 * which none is selected, as another test stands for them, is reported as skipped.
 */
public final class Matrix {

    /** The system property. */
    public static final String PROPERTY = "dstl.matrix";

    private static final String STOOD_FOR =
            "part of the matrix that mvn -Pfull runs; another case stands for it";

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

    /**
     * As {@link #select(List)}, for cases whose representative is none of them.
     *
     * @param name of what they are cases of: from it follows which share has the first of them
     */
    <T> List<T> selectOthers(String name, List<T> cases) {
        List<T> selected = new ArrayList<>();
        for (int position = 0; position < cases.size(); position++) {
            if (runsOther(name.hashCode() + position)) {
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

    /**
     * Makes a test class or method a case of the {@link Matrix} whose representative is another
     * one: it is skipped in a run of representatives, and takes its turn in the others, with all
     * that it has.
     */
    public static final class MatrixCase implements ExecutionCondition {

        /** For a class, each of its methods and each of their invocations: the same for all. */
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String name = nameOf(context.getRequiredTestClass(), context.getTestMethod());
            return Matrix.ofThisRun().runsOther(name.hashCode())
                    ? ConditionEvaluationResult.enabled("selected by " + Matrix.PROPERTY)
                    : ConditionEvaluationResult.disabled(STOOD_FOR);
        }

        /** What has the annotation: the method, or else its class. */
        static String nameOf(Class<?> testClass, Optional<Method> method) {
            return testClass.getName()
                    + method.filter(MatrixCase::isCase).map(one -> "." + one.getName()).orElse("");
        }

        private static boolean isCase(Method method) {
            return Stream.of(method.getAnnotationsByType(ExtendWith.class))
                    .flatMap(extensions -> Stream.of(extensions.value()))
                    .anyMatch(MatrixCase.class::equals);
        }
    }

    /**
     * The arguments of a parameterized test, of which {@link Matrix} selects those that run. The
     * first row is the representative, unless another test stands for all of them.
     */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @ArgumentsSource(MatrixRows.Rows.class)
    @ExtendWith(MatrixRows.AnyRow.class)
    public @interface MatrixRows {

        /**
         * One row for each invocation, its values between commas; blanks around them do not count.
         */
        String[] value();

        /**
         * Whether another test is the representative: then each row takes its turn, and the test is
         * skipped in a run without any.
         */
        boolean stoodFor() default false;

        /** What JUnit makes of the annotation. */
        final class Rows implements ArgumentsProvider, AnnotationConsumer<MatrixRows> {

            private MatrixRows annotation;

            @Override
            public void accept(MatrixRows rows) {
                annotation = rows;
            }

            @Override
            public Stream<Arguments> provideArguments(ExtensionContext context) {
                return selected(Matrix.ofThisRun(), annotation, context.getRequiredTestMethod())
                        .stream()
                        .map(Rows::values);
            }

            static List<String> selected(Matrix matrix, MatrixRows annotation, Method test) {
                List<String> rows = Arrays.asList(annotation.value());
                String name = test.getDeclaringClass().getName() + "." + test.getName();
                return annotation.stoodFor()
                        ? matrix.selectOthers(name, rows)
                        : matrix.select(rows);
            }

            private static Arguments values(String row) {
                return Arguments.of((Object[]) row.trim().split("\\s*,\\s*", -1));
            }
        }

        /** Skips a test of which no row is selected, which JUnit would call a failure. */
        final class AnyRow implements ExecutionCondition {

            @Override
            public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
                Method test = context.getRequiredTestMethod();
                MatrixRows rows = test.getAnnotation(MatrixRows.class);
                return Rows.selected(Matrix.ofThisRun(), rows, test).isEmpty()
                        ? ConditionEvaluationResult.disabled(STOOD_FOR)
                        : ConditionEvaluationResult.enabled("selected by " + Matrix.PROPERTY);
            }
        }
    }
}
