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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Removes secrets from texts and failures before dstl logs or throws them: values of sensitive
 * configuration keys, and credentials in URIs. File systems put both into their messages.
 *
 * <p>Owns the definition of a secret. Immutable; any thread.
 */
public final class Redaction {

    /** Hides credentials in URIs, and knows no configuration. */
    public static final Redaction OF_URIS = new Redaction(Collections.emptyList());

    /** Shorter values ("true", a user's name) occur in texts without the secret. */
    private static final int MIN_SECRET_CHARS = 6;

    /** Its keys configure how Flink fetches tokens, and hold none themselves. */
    private static final String TOKEN_FRAMEWORK = "security.delegation.token";

    private final Set<String> secrets;

    private Redaction(Collection<String> secrets) {
        this.secrets = new LinkedHashSet<>(secrets);
    }

    /** For a process with this configuration. */
    public static Redaction of(Configuration config) {
        Set<String> secrets = new LinkedHashSet<>();
        config.toMap()
                .forEach(
                        (key, value) -> {
                            if (isSensitive(key)) {
                                secrets.add(value);
                            }
                            UriCredentials.forEach(value, found -> addParts(found, secrets));
                        });
        secrets.removeIf(secret -> secret.length() < MIN_SECRET_CHARS);
        return new Redaction(secrets);
    }

    /** A file system may show the parts separately, and decoded. */
    private static void addParts(String credentials, Set<String> secrets) {
        for (String part : credentials.split(":", 2)) {
            secrets.add(part);
            try {
                secrets.add(URLDecoder.decode(part, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException notEncoded) {
                continue;
            }
        }
    }

    /** The keys that Flink hides in its own log, access keys, and keys for encrypting data. */
    private static boolean isSensitive(String key) {
        String lowerCase = key.toLowerCase(Locale.ROOT).replace(TOKEN_FRAMEWORK, "");
        return GlobalConfiguration.isSensitive(lowerCase)
                || lowerCase.contains("access-key")
                || lowerCase.contains("access.key")
                || lowerCase.contains("account.key")
                || lowerCase.contains("encryption-key")
                || lowerCase.contains("encryption.key");
    }

    /** The value of a key as it may be shown. */
    public static String value(String key, Object value) {
        return isSensitive(key)
                ? GlobalConfiguration.HIDDEN_CONTENT
                : Redacted.text(String.valueOf(value));
    }

    public String text(String text) {
        String shown = Redacted.text(text);
        for (String secret : secrets) {
            shown = shown.replace(secret, GlobalConfiguration.HIDDEN_CONTENT);
        }
        return shown;
    }

    /**
     * The failure itself if its text, its causes' and its suppressed ones' contain no secret; if
     * not, a copy without them, in which each message names the original class. So does the copy of
     * one that throws instead of giving a text. Flink decides the same by the copy: it keeps
     * whether the failure is an Error, and which one, and Flink's annotation.
     *
     * <p>Throws nothing, as others wait for the failure; returns the error if there is no memory
     * for a copy.
     */
    public Throwable failure(Throwable failure) {
        try {
            return isHidden(failure, newSet()) ? copy(failure, newSet()) : failure;
        } catch (Throwable t) {
            return withoutCause(failure);
        }
    }

    private Throwable withoutCause(Throwable failure) {
        try {
            return standIn(failure, null);
        } catch (Error e) {
            return e;
        }
    }

    /** Its text, or the name of its class if it throws, as a failure of a foreign class may. */
    public static String shown(Throwable failure) {
        return textOf(failure::toString).orElse(failure.getClass().getName());
    }

    private static Optional<String> textOf(Supplier<String> text) {
        try {
            return Optional.ofNullable(text.get());
        } catch (Throwable t) {
            return Optional.empty();
        }
    }

    /** The name of a failure's class; for a copy, the name of the original class. */
    public static String className(Throwable failure) {
        return classNames(failure).get(0);
    }

    /**
     * The names of a failure's class and of those above it, below {@link Throwable}; for a copy,
     * those of the original. Last, the class that a server of Hadoop has named, if it is of one.
     */
    public static List<String> classNames(Throwable failure) {
        if (failure instanceof RedactedException) {
            return ((RedactedException) failure).classNames;
        }
        List<String> names = new ArrayList<>();
        Class<?> each = failure.getClass();
        do {
            names.add(each.getName());
            each = each.getSuperclass();
        } while (Throwable.class.isAssignableFrom(each) && !each.equals(Throwable.class));
        remoteClassName(failure).ifPresent(names::add);
        return names;
    }

    /** The class of the failure on a server of Hadoop, whose client has one class for them all. */
    public static Optional<String> remoteClassName(Throwable failure) {
        Class<?> local = failure.getClass();
        if (!local.getSimpleName().equals("RemoteException")) {
            return Optional.empty();
        }
        try {
            Object name = local.getMethod("getClassName").invoke(failure);
            return Optional.ofNullable(name).map(String::valueOf);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return Optional.empty();
        }
    }

    public IOException failure(IOException failure) {
        return (IOException) exception(failure);
    }

    public RuntimeException failure(RuntimeException failure) {
        Exception shown = exception(failure);
        return shown instanceof RuntimeException
                ? (RuntimeException) shown
                : new UncheckedIOException((IOException) shown);
    }

    /** Throws the error if memory is out. */
    private Exception exception(Exception failure) {
        Throwable shown = failure((Throwable) failure);
        if (shown instanceof Error) {
            throw (Error) shown;
        }
        return (Exception) shown;
    }

    private boolean isHidden(Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        Optional<String> text = textOf(failure::toString);
        if (!text.map(this::text).equals(text)
                || text.isEmpty()
                || isHidden(failure.getCause(), seen)) {
            return true;
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (isHidden(suppressed, seen)) {
                return true;
            }
        }
        return false;
    }

    private Throwable copy(Throwable failure, Set<Throwable> seen) {
        if (!isHidden(failure, newSet())) {
            return failure;
        }
        seen.add(failure);
        Throwable cause = failure.getCause();
        Throwable copiedCause = cause == null || seen.contains(cause) ? null : copy(cause, seen);
        Throwable copy = standIn(failure, copiedCause);
        if (copiedCause != null && copy.getCause() == null) {
            copy.initCause(copiedCause);
        }
        copy.setStackTrace(failure.getStackTrace());
        addSuppressed(failure, copy, seen);
        return copy;
    }

    private Throwable standIn(Throwable failure, Throwable cause) {
        if (failure instanceof SuppressRestartsException) {
            // Its own text is always the same.
            return new SuppressRestartsException(cause);
        }
        String text = text(shown(failure));
        if (failure instanceof Error) {
            return standIn((Error) failure, text);
        }
        ThrowableAnnotation annotation =
                failure.getClass().getAnnotation(ThrowableAnnotation.class);
        List<String> names = classNames(failure);
        if (annotation == null) {
            return new RedactedException(text, names);
        }
        switch (annotation.value()) {
            case NonRecoverableError:
                return new NonRecoverableException(text, names);
            case PartitionDataMissingError:
                return new PartitionDataMissingException(text, names);
            case EnvironmentError:
                return new EnvironmentException(text, names);
            case RecoverableError:
                return new RecoverableException(text, names);
        }
        throw new AssertionError(annotation.value());
    }

    /** Keeps the classes for which Flink ends a process; the message tells which memory ran out. */
    private Error standIn(Error failure, String text) {
        if (failure instanceof OutOfMemoryError) {
            return new OutOfMemoryError(textOf(failure::getMessage).map(this::text).orElse(null));
        }
        if (failure instanceof InternalError) {
            return new InternalError(text);
        }
        if (failure instanceof UnknownError) {
            return new UnknownError(text);
        }
        if (failure instanceof ThreadDeath) {
            return new ThreadDeath();
        }
        return failure instanceof LinkageError ? new LinkageError(text) : new RedactedError(text);
    }

    private void addSuppressed(Throwable failure, Throwable copy, Set<Throwable> seen) {
        for (Throwable suppressed : failure.getSuppressed()) {
            if (!seen.contains(suppressed)) {
                copy.addSuppressed(copy(suppressed, seen));
            }
        }
    }

    private static Set<Throwable> newSet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Stands for a failure whose text contained a secret, or that gave none. */
    private static class RedactedException extends IOException {

        private static final long serialVersionUID = 1L;

        private final ArrayList<String> classNames;

        RedactedException(String message, List<String> classNames) {
            super(message);
            this.classNames = new ArrayList<>(classNames);
        }
    }

    @ThrowableAnnotation(ThrowableType.NonRecoverableError)
    private static final class NonRecoverableException extends RedactedException {

        private static final long serialVersionUID = 1L;

        NonRecoverableException(String message, List<String> classNames) {
            super(message, classNames);
        }
    }

    @ThrowableAnnotation(ThrowableType.PartitionDataMissingError)
    private static final class PartitionDataMissingException extends RedactedException {

        private static final long serialVersionUID = 1L;

        PartitionDataMissingException(String message, List<String> classNames) {
            super(message, classNames);
        }
    }

    @ThrowableAnnotation(ThrowableType.EnvironmentError)
    private static final class EnvironmentException extends RedactedException {

        private static final long serialVersionUID = 1L;

        EnvironmentException(String message, List<String> classNames) {
            super(message, classNames);
        }
    }

    @ThrowableAnnotation(ThrowableType.RecoverableError)
    private static final class RecoverableException extends RedactedException {

        private static final long serialVersionUID = 1L;

        RecoverableException(String message, List<String> classNames) {
            super(message, classNames);
        }
    }

    /** Stands for an error that is not fatal to the process. */
    private static final class RedactedError extends Error {

        private static final long serialVersionUID = 1L;

        RedactedError(String message) {
            super(message);
        }
    }

    /**
     * An object's text for log lines and messages, with the credentials of URIs hidden. If a path
     * contains them ({@code s3://key:secret@bucket}), so does the name of each segment under it.
     *
     * <p>Formed on demand, so that a log line that is not written costs nothing.
     */
    public static final class Redacted {

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
}
