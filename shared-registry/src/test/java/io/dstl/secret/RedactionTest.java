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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableClassifier;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {

    private static final String SECRET = "MARKED-SECRET";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3.secret-key",
                "s3.access-key",
                "fs.s3a.secret.key",
                "fs.s3a.access.key",
                "fs.azure.account.key.store.blob.core.windows.net",
                "presto.s3.access-key",
                "some.password",
                "security.delegation.token.provider.s3.secret-key",
                "security.delegation.token.provider.s3.access-key",
                "some.token",
            })
    void hidesTheValuesOfSensitiveKeys(String key) {
        Configuration config = new Configuration();
        config.setString(key, SECRET);

        assertThat(Redaction.of(config).text("denied: " + SECRET + "!"))
                .isEqualTo("denied: ******!");
        assertThat(Redaction.value(key, SECRET)).isEqualTo("******");
    }

    @Test
    void hidesThePartsOfCredentialsDecodedToo() {
        Configuration config = new Configuration();
        config.setString("any.path", "s3://ACCESSKEY:se%2Fcret@bucket/log");
        Redaction redaction = Redaction.of(config);

        assertThat(redaction.text("ACCESSKEY may not, with se/cret or se%2Fcret"))
                .isEqualTo("****** may not, with ****** or ******");
    }

    @ParameterizedTest
    @CsvSource({
        "security.delegation.token.provider.s3.region, us-east-1",
        "security.delegation.tokens.renewal.time-ratio, 0.7500001",
        "any.path, hdfs://nn/users/me@corp",
        "any.path, hdfs://nn:8020/users/me@corp",
        "any.path, abfss://container@account.dfs.core.windows.net/x",
    })
    void takesNoOtherValueForASecret(String key, String value) {
        Configuration config = new Configuration();
        config.setString(key, value);

        String text = "from " + value + " of container for nn/users/me";
        assertThat(Redaction.of(config).text(text)).isEqualTo(text);
        assertThat(Redaction.value(key, value)).isEqualTo(value);
    }

    @Test
    void leavesWhatFlinkDecidesOnByItsClass() {
        IOException leak = new IOException("s3://u:" + SECRET + "@b/x denied");
        Throwable shown =
                Redaction.OF_URIS.failure(
                        (Throwable) new IOException("upload", new SuppressRestartsException(leak)));
        Error error = new OutOfMemoryError("Metaspace");
        IOException failure = new IOException("s3://u:" + SECRET + "@b/x denied", error);

        assertThat(shown.getCause()).isInstanceOf(SuppressRestartsException.class);
        assertThat(ExceptionUtils.stringifyException(shown))
                .contains("s3://***@b/x denied")
                .doesNotContain(SECRET);
        assertThat(Redaction.OF_URIS.failure((Throwable) failure).getCause()).isSameAs(error);
        assertThat(Redaction.OF_URIS.failure((Throwable) new LinkageError(SECRET, leak)))
                .isInstanceOf(LinkageError.class);
    }

    private static final String LEAK = "s3://u:" + SECRET + "@b/x denied";

    static Stream<Error> errors() {
        return Stream.of(
                new OutOfMemoryError("Metaspace " + LEAK),
                new InternalError(LEAK, new IOException("cause")),
                new UnknownError(LEAK),
                new StackOverflowError(LEAK),
                new NoClassDefFoundError(LEAK),
                new ExceptionInInitializerError(new IOException(LEAK)),
                new AssertionError(LEAK));
    }

    /** Whether a TaskManager goes on is decided by their classes. */
    @ParameterizedTest
    @MethodSource("errors")
    void hidesSecretsInErrorsThatStayWhatTheyAre(Error error) {
        error.addSuppressed(new IOException("and " + LEAK));
        Throwable shown = Redaction.OF_URIS.failure((Throwable) new IOException(LEAK, error));
        Throwable copy = shown.getCause();

        assertThat(ExceptionUtils.stringifyException(shown))
                .doesNotContain(SECRET)
                .contains(error.getClass().getName(), "and s3://***@b/x denied");
        assertThat(copy).isInstanceOf(Error.class);
        assertThat(copy.getStackTrace()).isEqualTo(error.getStackTrace());
        assertThat(copy instanceof LinkageError).isEqualTo(error instanceof LinkageError);
        assertThat(ExceptionUtils.isJvmFatalOrOutOfMemoryError(copy))
                .isEqualTo(ExceptionUtils.isJvmFatalOrOutOfMemoryError(error));
        assertThat(ExceptionUtils.isMetaspaceOutOfMemoryError(copy))
                .isEqualTo(ExceptionUtils.isMetaspaceOutOfMemoryError(error));
    }

    @ThrowableAnnotation(ThrowableType.NonRecoverableError)
    private static final class NeverAgain extends RuntimeException {
        NeverAgain() {
            super(LEAK);
        }
    }

    @ThrowableAnnotation(ThrowableType.PartitionDataMissingError)
    private static final class DataMissing extends IOException {
        DataMissing() {
            super(LEAK);
        }
    }

    @ThrowableAnnotation(ThrowableType.EnvironmentError)
    private static final class OfTheMachine extends IOException {
        OfTheMachine() {
            super(LEAK);
        }
    }

    @ThrowableAnnotation
    private static final class ForOnce extends Exception {
        ForOnce() {
            super(LEAK);
        }
    }

    static Stream<Exception> annotated() {
        return Stream.of(new NeverAgain(), new DataMissing(), new OfTheMachine(), new ForOnce());
    }

    @ParameterizedTest
    @MethodSource("annotated")
    void hidesSecretsInWhatFlinkHasAnnotated(Exception failure) {
        Throwable shown = Redaction.OF_URIS.failure((Throwable) failure);

        assertThat(ExceptionUtils.stringifyException(shown))
                .doesNotContain(SECRET)
                .contains(failure.getClass().getName() + ": s3://***@b/x denied");
        assertThat(ThrowableClassifier.getThrowableType(shown))
                .isEqualTo(ThrowableClassifier.getThrowableType(failure));
        if (failure instanceof RuntimeException) {
            assertThat(
                            ThrowableClassifier.findThrowableOfThrowableType(
                                    Redaction.OF_URIS.failure((RuntimeException) failure),
                                    ThrowableType.NonRecoverableError))
                    .isPresent();
        }
    }

    private static final class Unshowable extends IOException {
        @Override
        public String toString() {
            throw new NoClassDefFoundError(LEAK);
        }
    }

    private static final class WithoutCause extends IOException {
        WithoutCause(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException(LEAK);
        }
    }

    private static final class UnshowableError extends OutOfMemoryError {
        @Override
        public String getMessage() {
            throw new IllegalStateException(LEAK);
        }
    }

    @Test
    void namesTheClassOfAFailureThatGivesNoText() {
        IOException wrapped = new IOException("upload of s3://bucket/log");
        wrapped.initCause(new Unshowable());
        Throwable shown = Redaction.OF_URIS.failure((Throwable) wrapped);

        assertThat(shown).hasMessage("java.io.IOException: upload of s3://bucket/log");
        assertThat(shown.getCause()).hasMessage(Unshowable.class.getName());
        assertThat(Redaction.className(shown.getCause())).isEqualTo(Unshowable.class.getName());
        assertThat(Redaction.OF_URIS.failure(new WithoutCause(LEAK)))
                .hasMessage(WithoutCause.class.getName() + ": s3://***@b/x denied")
                .hasNoCause();
        assertThat(Redaction.OF_URIS.failure((Throwable) new UnshowableError()))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void copiesNothingBeneathTheSecret() {
        IllegalStateException sound = new IllegalStateException("sound");
        IOException failure = new IOException("s3://u:" + SECRET + "@b/x denied", sound);

        assertThat(Redaction.OF_URIS.failure((Throwable) failure).getCause()).isSameAs(sound);
    }

    @Test
    void hidesNoShortValues() {
        Configuration config = new Configuration();
        config.setString("security.token.enabled", "true");

        assertThat(Redaction.of(config).text("it is true")).isEqualTo("it is true");
    }

    @Test
    void leavesAFailureWithoutSecretsAsItIs() {
        IOException failure = new IOException("of s3://bucket/log", new CancellationException());

        assertThat(Redaction.OF_URIS.failure((Throwable) failure)).isSameAs(failure);
    }

    @Test
    void hidesSecretsInTheWholeChain() {
        IOException failure =
                new IOException(
                        "upload", new IllegalStateException("s3://u:" + SECRET + "@b/x denied"));
        failure.addSuppressed(new IOException("and s3://u:" + SECRET + "@b/y"));

        Throwable shown = Redaction.OF_URIS.failure((Throwable) failure);

        assertThat(ExceptionUtils.stringifyException(shown))
                .doesNotContain(SECRET)
                .contains("java.io.IOException: upload")
                .contains("java.lang.IllegalStateException: s3://***@b/x denied")
                .contains("and s3://***@b/y");
        assertThat(shown.getStackTrace()).isEqualTo(failure.getStackTrace());
    }

    @Test
    void endsAtALoopOfCauses() {
        IOException first = new IOException("s3://u:" + SECRET + "@b/x");
        IOException second = new IOException("second", first);
        first.initCause(second);

        assertThat(ExceptionUtils.stringifyException(Redaction.OF_URIS.failure((Throwable) first)))
                .doesNotContain(SECRET)
                .contains("second");
    }

    /** As clients throw that wrap a failure in it. */
    @Test
    void namesAThrowableOfNoFurtherClass() {
        assertThat(Redaction.className(new Throwable("of the test")))
                .isEqualTo("java.lang.Throwable");
    }
}
