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
package io.dstl.store.s3.auth;

import io.dstl.store.s3.auth.CachedCredentials.TemporaryCredentials;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.ProviderException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.util.StringUtils;

/**
 * The credentials of the first provider that has some. From then on only that provider is asked:
 * after its failure another one must not change the job's identity. Asks anew with each call.
 *
 * <p><b>Threading.</b> One thread at a time; blocks as its providers do.
 */
final class CredentialChain implements Provider {

    private final Map<String, Provider> providers;

    private Optional<Map.Entry<String, Provider>> chosen = Optional.empty();

    /**
     * @param providers by their names for messages, in order
     */
    CredentialChain(Map<String, Provider> providers) {
        this.providers = Collections.unmodifiableMap(new LinkedHashMap<>(providers));
    }

    /**
     * @throws NoCredentialsException if none has credentials; with the answer of each, and no
     *     secret
     * @throws ProviderException the same, where one may have some later
     */
    @Override
    public Credentials fetch() {
        List<String> answers = new ArrayList<>();
        List<Throwable> causes = new ArrayList<>();
        boolean mayPass = false;
        for (Map.Entry<String, Provider> provider :
                chosen.map(Collections::singleton).orElse(providers.entrySet())) {
            Credentials found;
            try {
                found = trimmed(provider.getValue().fetch());
            } catch (UnavailableException e) {
                answers.add(
                        provider.getKey()
                                + " ("
                                + shown(e)
                                + "), which has to answer before the next place is asked");
                causes.add(e);
                mayPass = true;
                break;
            } catch (RuntimeException | LinkageError e) {
                // A provider without credentials throws any of these.
                answers.add(provider.getKey() + " (" + shown(e) + ")");
                causes.add(e);
                mayPass |= mayPass(e);
                continue;
            }
            checkHeaders(found, provider.getKey());
            chosen = Optional.of(provider);
            return found;
        }
        String text = "No credentials for S3 from " + String.join(", ", answers);
        ProviderException none =
                mayPass ? new ProviderException(text) : new NoCredentialsException(text);
        causes.forEach(cause -> none.addSuppressed(withoutText(cause)));
        throw none;
    }

    /** Whether the place may have credentials that can't be had at the moment. */
    private static boolean mayPass(Throwable failure) {
        Throwable cause = failure.getCause();
        // A service that knows no role yet may know one later.
        return failure instanceof RoleRequests.RefusedException
                || (cause instanceof IOException && !(cause instanceof FileNotFoundException));
    }

    /** Without the white space that the SDK leaves out too, and without an empty token. */
    private static Credentials trimmed(Credentials found) {
        String accessKey = found.accessKey().trim();
        String secretKey = found.secretKey().trim();
        String token =
                StringUtils.isNullOrWhitespaceOnly(found.sessionToken())
                        ? null
                        : found.sessionToken().trim();
        return found instanceof TemporaryCredentials
                ? new TemporaryCredentials(
                        accessKey, secretKey, token, ((TemporaryCredentials) found).end())
                : new Credentials(accessKey, secretKey, token, null);
    }

    /**
     * The HTTP client would show the whole of what it can't send. No further provider is asked:
     * this one has credentials.
     */
    private static void checkHeaders(Credentials found, String place) {
        boolean hasToken = found.sessionToken() != null;
        if (!RoleProviders.isOneLine(found.accessKey())
                || (hasToken && !RoleProviders.isOneLine(found.sessionToken()))) {
            throw new NoCredentialsException(
                    "The access key or the session token from "
                            + place
                            + " has characters that no request can carry, such as a line break");
        }
    }

    /** The name of the chosen provider; only after one has given credentials. */
    String place() {
        return chosen.orElseThrow(IllegalStateException::new).getKey();
    }

    /**
     * Shows only the class of a parse failure, or of a failure that is no answer of a provider: its
     * text may repeat what was parsed or sent.
     */
    private static String shown(Throwable failure) {
        if (failure instanceof LinkageError) {
            // It names a class, which tells the operator which jar is missing.
            return failure.toString();
        }
        if (!(failure instanceof ProviderException)) {
            return failure.getClass().getSimpleName();
        }
        Throwable cause = failure.getCause();
        if (cause == null) {
            return String.valueOf(failure.getMessage());
        }
        return failure.getMessage()
                + ": "
                + (tellsNoContent(cause) ? cause.toString() : cause.getClass().getSimpleName());
    }

    private static boolean tellsNoContent(Throwable cause) {
        return cause instanceof IOException && cause.getClass().getName().startsWith("java");
    }

    /** A stack trace in the log must not show what {@link #shown} hides. */
    private static Throwable withoutText(Throwable failure) {
        boolean isAnswer =
                failure instanceof ProviderException
                        && (failure.getCause() == null || tellsNoContent(failure.getCause()));
        if (isAnswer || failure instanceof LinkageError) {
            return failure;
        }
        ProviderException copy = new ProviderException(shown(failure));
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    /**
     * The environment names a role, and its service gives no answer at the moment. The chain asks
     * no further provider: the job must not run under another identity, such as that of the node.
     */
    static final class UnavailableException extends ProviderException {

        private static final long serialVersionUID = 1L;

        UnavailableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Waiting is of no use: the store's {@code RefusedException} knows it by its name. */
    static final class NoCredentialsException extends ProviderException {

        private static final long serialVersionUID = 1L;

        private NoCredentialsException(String message) {
            super(message);
        }
    }
}
