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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.secret.Redaction;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.security.cert.CertificateException;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.flink.configuration.Configuration;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusedExceptionTest {

    /** As a plugin's class loader has it: known by its name. */
    private static final class UnknownStoreException extends IOException {}

    @Test
    void knowsTheClassesThatSaySo() {
        assertThat(
                        RefusedException.isIn(
                                new IOException(new RefusedException("no", "AccessDenied"))))
                .isTrue();
        assertThat(RefusedException.isIn(new IOException(new AccessDeniedException("/log"))))
                .isTrue();
        assertThat(RefusedException.isIn(new UnknownStoreException())).isTrue();
    }

    /** As HDFS says it, also in the answer of its server, and of what a secret is taken out. */
    @Test
    void knowsTheClassesOfHadoopBelowThose() {
        Throwable denied = new AuthorizationException("user AKIAEXAMPLE is not allowed");
        Throwable subclass = new AccessControlException("no AKIAEXAMPLE") {};
        Throwable answer = new RemoteException(denied.getClass().getName(), "no AKIAEXAMPLE");
        Throwable other = new RemoteException(IOException.class.getName(), "no AKIAEXAMPLE");

        for (Throwable each : List.of(denied, subclass, answer)) {
            assertThat(RefusedException.isIn(new IOException(each))).isTrue();
            assertThat(RefusedException.isIn(redaction().failure(each))).isTrue();
        }
        assertThat(RefusedException.isIn(other)).isFalse();
    }

    /** As Java's TLS, and the HTTP client that looks at the host's name, say it. */
    @Test
    void knowsACertificateThatIsNotTrusted() {
        IOException handshake = new SSLHandshakeException("PKIX path building failed");
        assertThat(RefusedException.isIn(new IOException(handshake))).isFalse();

        handshake.initCause(new CertificateException("unable to find valid certification path"));
        assertThat(RefusedException.isIn(new IOException(handshake))).isTrue();
        assertThat(RefusedException.isIn(new IOException(new SSLPeerUnverifiedException("host"))))
                .isTrue();
    }

    /** A file system's text may hold an access key, which is taken out with its class. */
    @Test
    void knowsThemWhereTheirSecretsWereTakenOut() {
        Redaction redaction = redaction();
        Throwable denied = new AccessDeniedException("/log", null, "no key AKIAEXAMPLE");
        Throwable refused = new RefusedException("no key AKIAEXAMPLE", "InvalidAccessKeyId");
        Throwable other = new FileNotFoundException("/AKIAEXAMPLE");

        assertThat(redaction.failure(denied).getMessage()).doesNotContain("AKIAEXAMPLE");
        assertThat(RefusedException.isIn(redaction.failure(denied))).isTrue();
        assertThat(RefusedException.isIn(new IOException(redaction.failure(refused)))).isTrue();
        assertThat(RefusedException.isIn(redaction.failure(other))).isFalse();
    }

    private static Redaction redaction() {
        Configuration config = new Configuration();
        config.setString("s3.access-key", "AKIAEXAMPLE");
        return Redaction.of(config);
    }

    /** Of Java, and not where a firewall says the same of a connection. */
    @ParameterizedTest
    @ValueSource(strings = {"Read-only file system", "Operation not permitted"})
    void knowsTheReasonsOfFiles(String reason) {
        String file = "/nfs/log/job";
        assertThat(RefusedException.isIn(new FileSystemException(file, null, reason))).isTrue();
        assertThat(RefusedException.isIn(new FileSystemException(file, null, "No space left")))
                .isFalse();
        assertThat(RefusedException.isIn(new IOException("Connect failed: " + reason))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nfs/log/job/dstl/1 (Permission denied)",
                "/nfs/log/job/dstl/1 (Read-only file system)",
                "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)",
                "null (Service: S3, Status Code: 401, Request ID: 1)",
                "no (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket; Request ID: 1)"
            })
    void knowsTheMessagesOfTheClients(String message) {
        assertThat(RefusedException.isIn(new IOException(message))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Internal Error (Service: Amazon S3; Status Code: 500; Error Code: InternalError)",
                "Slow down (Service: Amazon S3; Status Code: 503; Error Code: SlowDown)",
                "(Service: Amazon S3; Status Code: 404; Error Code: NoSuchUpload)",
                "/nfs/log/job/dstl/1 (Too many open files)",
                "Could not store a segment of 403 bytes"
            })
    void takesNothingElseForOne(String message) {
        assertThat(RefusedException.isIn(new IOException(message))).isFalse();
        assertThat(RefusedException.isIn(new FileNotFoundException(message))).isFalse();
        assertThat(RefusedException.isIn(new ThrottledException(message, null))).isFalse();
    }
}
