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
package io.dstl.store.s3;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.s3.auth.CredentialSource;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.apache.flink.configuration.Configuration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3SettingsTest {

    private static S3Settings settings(S3FileSystemKind kind, String... keysAndValues)
            throws UnsupportedS3Exception {
        return settings(kind, Map.of(), keysAndValues);
    }

    static S3Settings settings(
            S3FileSystemKind kind, Map<String, String> environment, String... keysAndValues)
            throws UnsupportedS3Exception {
        Configuration config = new Configuration();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            config.setString(keysAndValues[i], keysAndValues[i + 1]);
        }
        return S3Settings.from(config, kind, GivenEnvironment.of(environment));
    }

    @ParameterizedTest
    @CsvSource({
        "PRESTO, s3.endpoint, s3.path.style.access, s3.access-key, s3.secret-key",
        "PRESTO, presto.s3.endpoint, presto.s3.path-style-access, presto.s3.access-key,"
                + " presto.s3.secret-key",
        "PRESTO, s3.endpoint, s3.path-style-access, s3.access.key, s3.secret.key",
        "HADOOP, s3.endpoint, s3.path.style.access, s3.access-key, s3.secret-key",
        "HADOOP, s3a.endpoint, s3a.path.style.access, s3a.access.key, s3a.secret.key",
        "HADOOP, fs.s3a.endpoint, fs.s3a.path.style.access, fs.s3a.access.key, fs.s3a.secret.key",
        "HADOOP, fs.s3a.endpoint, fs.s3a.path-style-access, fs.s3a.access-key, fs.s3a.secret-key",
        "NATIVE, s3.endpoint, s3.path-style-access, s3.access-key, s3.secret-key",
        "NATIVE, s3.endpoint, s3.path.style.access, s3.access.key, s3.secret.key"
    })
    void followsEachSpelling(
            S3FileSystemKind kind, String endpoint, String style, String access, String secret)
            throws Exception {
        S3Settings settings =
                settings(
                        kind,
                        endpoint,
                        "http://store.example.com:9000",
                        style,
                        "true",
                        access,
                        "an access key",
                        secret,
                        "a secret key");

        assertThat(settings.endpoint()).hasToString("http://store.example.com:9000/");
        assertThat(settings.virtualHosts()).isFalse();
        assertThat(
                        settings.credentials()
                                .open(
                                        new OkHttpClient(),
                                        name -> Optional.empty(),
                                        () -> Instant.EPOCH,
                                        new ManualTimer(),
                                        Runnable::run)
                                .fetch())
                .satisfies(found -> assertThat(found.accessKey()).isEqualTo("an access key"))
                .satisfies(found -> assertThat(found.secretKey()).isEqualTo("a secret key"));
    }

    /** Which is what its own file system does. */
    @ParameterizedTest
    @CsvSource({
        "PRESTO, s3a.endpoint",
        "PRESTO, fs.s3a.endpoint",
        "HADOOP, presto.s3.endpoint",
        "NATIVE, presto.s3.endpoint",
        "NATIVE, fs.s3a.endpoint"
    })
    void leavesOutTheSpellingsOfTheOtherFileSystem(S3FileSystemKind kind, String key)
            throws Exception {
        assertThat(settings(kind, key, "http://127.0.0.1").isWholeAws()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "store:9000, '', https://store:9000/",
        "store:9000, true, https://store:9000/",
        "store:9000, false, http://store:9000/",
        "http://store:9000, true, http://store:9000/"
    })
    void usesTlsUnlessToldNotTo(String endpoint, String ssl, String url) throws Exception {
        S3Settings settings =
                settings(S3FileSystemKind.PRESTO, "s3.endpoint", endpoint, "s3.ssl.enabled", ssl);

        assertThat(settings.endpoint()).hasToString(url);
    }

    /** As its own file system does. */
    @ParameterizedTest
    @CsvSource({
        "PRESTO, s3.connection.ssl.enabled, https",
        "PRESTO, presto.s3.connection.ssl.enabled, https",
        "PRESTO, presto.s3.ssl.enabled, http",
        "HADOOP, s3.ssl.enabled, https",
        "HADOOP, fs.s3a.ssl.enabled, https",
        "HADOOP, fs.s3a.connection.ssl.enabled, http",
        "NATIVE, s3.connection.ssl.enabled, http",
        "NATIVE, s3.ssl.enabled, http"
    })
    void turnsTlsOffByTheKeyOfTheFileSystem(S3FileSystemKind kind, String key, String scheme)
            throws Exception {
        assertThat(settings(kind, "s3.endpoint", "store:9000", key, "false").endpoint().scheme())
                .isEqualTo(scheme);
    }

    @Test
    void putsTheBucketIntoTheHostUnlessThatIsAnAddress() throws Exception {
        assertThat(settings(S3FileSystemKind.PRESTO).virtualHosts()).isTrue();
        assertThat(
                        settings(S3FileSystemKind.PRESTO, "s3.endpoint", "http://127.0.0.1:9000")
                                .virtualHosts())
                .isFalse();
    }

    @Test
    void followsConnectionsAndTimeouts() throws Exception {
        S3Settings hadoop =
                settings(
                        S3FileSystemKind.HADOOP,
                        "fs.s3a.connection.maximum",
                        "7",
                        "fs.s3a.connection.establish.timeout",
                        "3000");
        S3Settings presto =
                settings(
                        S3FileSystemKind.PRESTO,
                        "presto.s3.max-connections",
                        "8",
                        "presto.s3.socket-timeout",
                        "9s");

        assertThat(hadoop.maxConnections()).isEqualTo(7);
        assertThat(hadoop.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(presto.maxConnections()).isEqualTo(8);
        assertThat(presto.socketTimeout()).isEqualTo(Duration.ofSeconds(9));
    }

    @ParameterizedTest
    @CsvSource({"HADOOP, fs.s3a.entropy.", "PRESTO, presto.s3.entropy.", "NATIVE, s3.entropy-"})
    void readsEntropyFromTheOneSpellingThatFlinkKnows(S3FileSystemKind kind, String other)
            throws Exception {
        assertThat(settings(kind, other + "key", "_rnd_").entropyMarker()).isEmpty();
        assertThat(settings(kind, "s3.entropy.key", "_rnd_").entropyMarker()).contains("_rnd_");
        S3Settings settings = settings(kind, "s3.entropy.length", "6", other + "length", "9");
        assertThat(settings.entropyLength()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({
        "s3.sse.type, KMS",
        "presto.s3.sse.enabled, true",
        "presto.s3.kms-key-id, a-key",
        "presto.s3.signer-type, X",
        "presto.s3.upload-acl-type, PUBLIC_READ",
        "presto.s3.encryption-materials-provider, com.acme.Keys",
        "presto.s3.pin-client-to-current-region, true",
        "presto.s3.storage-class, GLACIER",
        "presto.s3.credentials-provider, com.acme.Credentials",
        "s3.max-connections, many",
        "s3.max-connections, 0",
        "s3.path-style-access, perhaps",
        "s3.socket-timeout, soon",
        "s3.endpoint, http://host/path",
        "s3.no.such.key, 1"
    })
    void standsBackFromWhatPrestosWouldDo(String key, String value) {
        assertThatThrownBy(() -> settings(S3FileSystemKind.PRESTO, key, value))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @CsvSource({
        "fs.s3a.server-side-encryption-algorithm, SSE-KMS",
        "fs.s3a.encryption.algorithm, SSE-C",
        "s3.assumed.role.arn, arn:aws:iam::1:role/r",
        "s3a.proxy.host, proxy",
        "fs.s3a.requester.pays.enabled, true",
        "fs.s3a.custom.signers, X",
        "fs.s3a.signing-algorithm, X",
        "fs.s3a.bucket.mine.endpoint, http://other",
        "fs.s3a.accesspoint.required, true",
        "fs.s3a.acl.default, PublicRead",
        "fs.s3a.aws.credentials.provider,"
                + " org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
        "security.delegation.token.provider.s3-hadoop.access-key, k"
    })
    void standsBackFromWhatHadoopsWouldDo(String key, String value) {
        assertThatThrownBy(() -> settings(S3FileSystemKind.HADOOP, key, value))
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @CsvSource({
        "s3.multipart.size, 10M",
        "s3.upload.min.part.size, 10485760",
        "fs.s3a.fast.upload.buffer, disk",
        "fs.s3a.retry.limit, 3",
        "fs.s3a.threads.max, 5",
        "fs.s3a.requester.pays.enabled, false",
        "s3.buffer.dir, /tmp",
        "fs.s3a.committer.name, magic"
    })
    void passesOverWhatHasNoMeaningForWholeObjects(String key, String value) throws Exception {
        assertThat(settings(S3FileSystemKind.HADOOP, key, value).isWholeAws()).isTrue();
    }

    @Test
    void standsBackFromTwoValuesOfOneKey() {
        assertThatThrownBy(
                        () ->
                                settings(
                                        S3FileSystemKind.HADOOP,
                                        "s3.secret-key",
                                        "one secret",
                                        "fs.s3a.secret.key",
                                        "other secret"))
                .hasMessageContaining("s3.secret-key")
                .hasMessageContaining("fs.s3a.secret.key")
                .hasMessageNotContaining("one secret")
                .hasMessageNotContaining("other secret");
    }

    @Test
    void standsBackFromHalfAKeyPair() {
        assertThatThrownBy(() -> settings(S3FileSystemKind.HADOOP, "s3.access-key", "a"))
                .hasMessage("s3.access-key is set without s3.secret-key. Set both or none");
    }

    @Test
    void showsNoSecret() throws Exception {
        assertThat(
                        settings(
                                        S3FileSystemKind.HADOOP,
                                        "s3.access-key",
                                        "AKIDSECRET",
                                        "s3.secret-key",
                                        "very-secret",
                                        "s3.session.token",
                                        "a-session")
                                .toString())
                .isEqualTo(
                        "endpoint https://s3.amazonaws.com:443, region us-east-1, virtual hosts,"
                                + " credentials from the configured keys and session token");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- | - | environment variables, container or instance metadata",
                "- | KEYS | the configured keys",
                "- | KEYS TOKEN | the configured keys and session token",
                "Env | KEYS | environment variables",
                "Simple | KEYS TOKEN | the configured keys",
                "Temporary,Simple,Web | KEYS | the configured keys",
                "Temporary,Simple,Web | KEYS TOKEN | the configured keys and session token",
                "Temporary,Simple,Web | - | web identity",
                "Web | KEYS | web identity",
                "Web,Simple | KEYS | web identity, the configured keys",
                "Simple,Env | KEYS | the configured keys",
                "Instance,Env | KEYS" + " | container or instance metadata, environment variables",
                "Simple,Instance | - | container or instance metadata",
                "ContainerV2,InstanceV2 | - | container metadata, instance metadata",
                "InstanceV1 | - | instance metadata",
                "DefaultV2 | - | environment variables, system properties, web identity,"
                        + " profile file, container or instance metadata",
                "Default | KEYS | environment variables, system properties, web identity,"
                        + " profile file, container or instance metadata"
            })
    void looksWhereS3aLooksInItsOrder(String classes, String set, String places) throws Exception {
        assertThat(credentials(S3FileSystemKind.HADOOP, Map.of(), classes, set))
                .hasToString(places);
    }

    /** Its file system has no list of classes, so one of them says nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- | - | environment variables, system properties, web identity, profile file,"
                        + " container or instance metadata",
                "- | KEYS | the configured keys",
                "- | KEYS TOKEN | the configured keys",
                "Web | KEYS | the configured keys",
                "Env | - | environment variables, system properties, web identity, profile file,"
                        + " container or instance metadata"
            })
    void looksWherePrestoLooks(String classes, String set, String places) throws Exception {
        assertThat(credentials(S3FileSystemKind.PRESTO, Map.of(), classes, set))
                .hasToString(places);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- | - | environment variables, system properties, web identity, profile file,"
                        + " container or instance metadata",
                "- | KEYS TOKEN | the configured keys",
                "InstanceProfileCredentialsProvider | KEYS | instance metadata,"
                        + " the configured keys",
                "software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider | - |"
                        + " profile file, environment variables, system properties, web identity,"
                        + " container or instance metadata"
            })
    void looksWhereFlinksNativeFileSystemLooks(String classes, String set, String places)
            throws Exception {
        List<String> keys = new ArrayList<>();
        if (!classes.equals("-")) {
            keys.addAll(List.of("fs.s3.aws.credentials.provider", classes));
        }
        if (set.contains("KEYS")) {
            keys.addAll(List.of("s3.access-key", "a", "s3.secret-key", "b"));
        }
        if (set.contains("TOKEN")) {
            keys.addAll(List.of("s3.session-token", "c"));
        }

        assertThat(settings(S3FileSystemKind.NATIVE, keys.toArray(String[]::new)).credentials())
                .hasToString(places);
    }

    /** What connecting takes at most in one is what a silent store is waited for in the other. */
    @Test
    void takesOneKeyOfTwoMeaningsAsTheFileSystemDoes() throws Exception {
        String key = "s3.connection.timeout";

        assertThat(settings(S3FileSystemKind.NATIVE, key, "7 s").connectTimeout())
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(settings(S3FileSystemKind.NATIVE, key, "7 s").socketTimeout())
                .isNotEqualTo(Duration.ofSeconds(7));
        assertThat(settings(S3FileSystemKind.HADOOP, key, "7 s").socketTimeout())
                .isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @CsvSource({
        "s3.sse.type, none",
        "s3.chunked-encoding.enabled, false",
        "s3.checksum-validation.enabled, false",
        "s3.bulk-copy.max-concurrent, 16",
        "s3.retry.max-num-retries, 3",
        "s3.read.buffer.size, 256 kb",
        "s3.connection.max-idle-time, 60 s"
    })
    void passesOverWhatMeansNothingForOneRequest(String key, String value) throws Exception {
        assertThat(settings(S3FileSystemKind.NATIVE, key, value).isWholeAws()).isTrue();
    }

    @Test
    void prestoMayAskTheInstance() throws Exception {
        assertThat(
                        settings(
                                        S3FileSystemKind.PRESTO,
                                        "presto.s3.use-instance-credentials",
                                        "true")
                                .credentials())
                .hasToString("instance metadata");
    }

    @Test
    void standsBackFromProvidersOfKeysWhereNoneAreConfigured() {
        assertThatThrownBy(
                        () ->
                                credentials(
                                        S3FileSystemKind.HADOOP, Map.of(), "Temporary,Simple", "-"))
                .hasMessageContaining("s3.aws.credentials.provider is ")
                .hasMessageContaining("no keys for it are configured");
    }

    /** The plugin would ask for credentials by it; this client asks by none. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "Web, -, true",
                "Web, sts.amazonaws.com, false",
                "Instance, -, false",
                "Default, -, true"
            })
    void standsBackWhereAProxyLeadsToSts(String classes, String noProxy, boolean back) {
        Map<String, String> pod = new HashMap<>();
        pod.put("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/token");
        pod.put("HTTPS_PROXY", "http://proxy:3128");
        pod.put("NO_PROXY", "*.s3.amazonaws.com" + (noProxy == null ? "" : "," + noProxy));
        ThrowingCallable reading = () -> credentials(S3FileSystemKind.HADOOP, pod, classes, "-");
        if (back) {
            assertThatThrownBy(reading)
                    .hasMessageContaining("HTTPS_PROXY")
                    .hasMessageContaining("sts.amazonaws.com");
        } else {
            assertThatCode(reading).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://store.example.com, false",
        "http://store.example.com, true",
        "http://10.0.0.1:9000, true",
        "http://127.example.com, true",
        "http://localhost:9000, false",
        "http://127.0.0.1:9000, false",
        "http://127.1.2.3, false",
        "http://[::1]:9000, false",
    })
    void knowsWhichWaysOthersCanRead(String endpoint, boolean readable) throws Exception {
        assertThat(settings(S3FileSystemKind.PRESTO, "s3.endpoint", endpoint).isReadableOnTheWay())
                .isEqualTo(readable);
    }

    private static final String V2 = "software.amazon.awssdk.auth.credentials.";

    private static final Map<String, String> CLASSES =
            Map.of(
                    "Simple", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
                    "Temporary", "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider",
                    "Web", "com.amazonaws.auth.WebIdentityTokenCredentialsProvider",
                    "Env", "com.amazonaws.auth.EnvironmentVariableCredentialsProvider",
                    "Instance", "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider",
                    "InstanceV1", "com.amazonaws.auth.InstanceProfileCredentialsProvider",
                    "InstanceV2", V2 + "InstanceProfileCredentialsProvider",
                    "ContainerV2", V2 + "ContainerCredentialsProvider",
                    "Default", "com.amazonaws.auth.DefaultAWSCredentialsProviderChain",
                    "DefaultV2", V2 + "DefaultCredentialsProvider");

    private static CredentialSource credentials(
            S3FileSystemKind kind, Map<String, String> environment, String classes, String set)
            throws UnsupportedS3Exception {
        List<String> keysAndValues = new ArrayList<>();
        if (!classes.equals("-")) {
            keysAndValues.add("s3.aws.credentials.provider");
            keysAndValues.add(
                    Stream.of(classes.split(",")).map(CLASSES::get).collect(joining(",\n")));
        }
        if (set.contains("KEYS")) {
            keysAndValues.addAll(List.of("s3.access-key", "AKID", "s3.secret-key", "the-secret"));
        }
        if (set.contains("TOKEN")) {
            keysAndValues.addAll(List.of("s3.session.token", "a-session"));
        }
        return settings(kind, environment, keysAndValues.toArray(new String[0])).credentials();
    }
}
