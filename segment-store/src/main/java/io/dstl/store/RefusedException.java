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
package io.dstl.store;

import static java.util.Objects.requireNonNull;

import io.dstl.secret.Redaction;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.flink.util.ExceptionUtils;

/**
 * The store has understood a request and refuses it: access denied, no such bucket, or an invalid
 * request. The same request is refused again until somebody changes the configuration or the
 * permissions.
 *
 * <p>Stores of dstl throw it. Failures of some classes of Flink's file systems count as one ({@link
 * #isIn}, by name, as only a plugin's class loader knows them), and so do messages of the AWS
 * clients that name the answer: 401, 403, or no such bucket. So do a certificate of the store that
 * is not trusted here, credentials that are in no place, and files that permissions, or a mount for
 * reading only, protect from this user. Unclear failures, such as a file that is not found, are no
 * refusal.
 */
public final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    private static final Set<String> KINDS =
            Set.of(
                    AccessDeniedException.class.getSimpleName(),
                    // Of Hadoop, whose servers send no more than a name. The second extends it.
                    "AccessControlException",
                    "AuthorizationException",
                    "UnknownStoreException",
                    "NoSuchBucketException",
                    // Of the direct client for S3.
                    "NoCredentialsException",
                    SSLPeerUnverifiedException.class.getSimpleName());

    private static final Pattern WORDING =
            Pattern.compile(
                    "\\bstatus code: ?(401|403)\\b|\\berror code: ?nosuchbucket\\b"
                            + "|\\((permission denied|read-only file system)\\)$",
                    Pattern.CASE_INSENSITIVE);

    /** Of a {@link FileSystemException}, which puts it behind the path. */
    private static final Pattern REASON =
            Pattern.compile(
                    ": (read-only file system|operation not permitted)$", Pattern.CASE_INSENSITIVE);

    private static final String FILES = FileSystemException.class.getSimpleName();

    private final String code;

    /**
     * @param message the request and the answer; no secrets
     * @param code the store's word for the reason, such as <i>AccessDenied</i>
     */
    public RefusedException(String message, String code) {
        super(message);
        this.code = requireNonNull(code);
    }

    public String code() {
        return code;
    }

    /** Whether the failure, or one of its causes, is a refusal. */
    public static boolean isIn(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, RefusedException::isRefusal).isPresent();
    }

    private static boolean isRefusal(Throwable failure) {
        List<String> names = Redaction.classNames(failure);
        if (names.contains(RefusedException.class.getName())
                || names.stream().map(RefusedException::simple).anyMatch(KINDS::contains)
                || failure instanceof CertificateException) {
            return true;
        }
        String message = failure.getMessage();
        if (message == null) {
            return false;
        }
        return WORDING.matcher(message).find()
                || (REASON.matcher(message).find()
                        && names.stream().map(RefusedException::simple).anyMatch(FILES::equals));
    }

    /** The part of a class's name after packages and enclosing classes. */
    static String simple(String name) {
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }
}
