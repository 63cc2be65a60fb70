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
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;

/**
 * The arguments of a parameterized test, of which {@link Matrix} selects those that run. The first
 * row is the representative.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ArgumentsSource(MatrixRows.Rows.class)
public @interface MatrixRows {

    /** One row for each invocation, its values between commas; blanks around them do not count. */
    String[] value();

    /** What JUnit makes of the annotation. */
    final class Rows implements ArgumentsProvider, AnnotationConsumer<MatrixRows> {

        private String[] rows;

        @Override
        public void accept(MatrixRows annotation) {
            rows = annotation.value();
        }

        @Override
        public Stream<Arguments> provideArguments(ExtensionContext context) {
            return Matrix.ofThisRun().select(Arrays.stream(rows)).map(Rows::values);
        }

        private static Arguments values(String row) {
            return Arguments.of((Object[]) row.trim().split("\\s*,\\s*", -1));
        }
    }
}
