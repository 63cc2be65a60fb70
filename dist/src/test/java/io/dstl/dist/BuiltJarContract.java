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
package io.dstl.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for each jar that goes into a Flink. */
abstract class BuiltJarContract {

    private static final int JAVA_11 = 55;

    private static final String MINIO = "io.dstl.shaded.io.minio.";

    @TempDir private Path tokens;

    private final String property;

    private BuiltJar jar;

    BuiltJarContract(String property) {
        this.property = property;
    }

    @BeforeEach
    void open() throws IOException {
        jar = new BuiltJar(property);
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    final BuiltJar jar() {
        return jar;
    }

    /** Flink with this jar in its place: sees nothing of ours that is not in the jar. */
    abstract ClassLoader classLoader() throws IOException;

    /** Whether the jar may hold a class of this name. */
    abstract boolean isOurs(String className);

    @Test
    void holdsOurClassesOnly() {
        assertThat(jar.classNames())
                .as("third-party code needs a relocation to io.dstl.shaded")
                .isNotEmpty()
                .allMatch(this::isOurs);
    }

    @Test
    void holdsNothingTwice() {
        assertThat(jar.files()).doesNotHaveDuplicates();
    }

    @Test
    void hidesNoClassOfFlink() {
        ClassLoader flink = getClass().getClassLoader();
        assertThat(jar.classFiles()).allMatch(name -> flink.getResource(name) == null);
    }

    @Test
    void runsOnJava11() throws IOException {
        for (String name : jar.classFiles()) {
            assertThat(jar.classFile(name).majorVersion()).as(name).isLessThanOrEqualTo(JAVA_11);
        }
    }

    @Test
    void needsNoClassThatIsMissing() throws IOException {
        ClassLoader loader = classLoader();
        Map<String, Set<String>> missing = new TreeMap<>();
        for (String name : jar.classFiles()) {
            for (String reference : jar.classFile(name).references()) {
                if (!isPresent(reference, loader) && !isOptional(name)) {
                    missing.computeIfAbsent(reference, r -> new TreeSet<>()).add(name);
                }
            }
        }
        assertThat(missing).as("missing class, and who refers to it").isEmpty();
    }

    /**
     * okhttp asks whether it runs on Android, or with another TLS than Java's, and does without.
     */
    private static boolean isOptional(String classFile) {
        return classFile.startsWith("io/dstl/shaded/okhttp3/internal/platform/");
    }

    private static boolean isPresent(String className, ClassLoader loader) {
        try {
            Class.forName(className, false, loader);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return false;
        }
    }

    /**
     * MinIO's client reads answers by reflection: under their new names, and with all they need.
     */
    @Test
    void understandsS3AndItsSourcesOfCredentials() throws Exception {
        ClassLoader loader = classLoader();
        Class<?> response = loader.loadClass(MINIO + "messages.ErrorResponse");
        Object error =
                loader.loadClass(MINIO + "Xml")
                        .getMethod("unmarshal", Class.class, String.class)
                        .invoke(null, response, "<Error><Code>SlowDown</Code></Error>");
        assertThat(response.getMethod("code").invoke(error)).isEqualTo("SlowDown");
        try (CannedHttp container =
                new CannedHttp(
                        "{\"AccessKeyId\":\"of-a-container\",\"SecretAccessKey\":\"b\",\"Token\":\"c\","
                                + "\"Expiration\":\"2100-01-01T00:00:00Z\"}")) {
            assertThat(accessKey(loader, container, "AWS_CONTAINER_CREDENTIALS_FULL_URI"))
                    .isEqualTo("of-a-container");
        }
        Path token = Files.writeString(tokens.resolve("token"), "a token");
        System.setProperty("AWS_WEB_IDENTITY_TOKEN_FILE", token.toString());
        try (CannedHttp service =
                new CannedHttp(
                        "<AssumeRoleWithWebIdentityResponse"
                                + " xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
                                + "<AssumeRoleWithWebIdentityResult><Credentials>"
                                + "<AccessKeyId>of-a-role</AccessKeyId>"
                                + "<SecretAccessKey>b</SecretAccessKey>"
                                + "<SessionToken>c</SessionToken>"
                                + "<Expiration>2100-01-01T00:00:00Z</Expiration>"
                                + "</Credentials></AssumeRoleWithWebIdentityResult>"
                                + "</AssumeRoleWithWebIdentityResponse>")) {
            assertThat(accessKey(loader, service, "AWS_ROLE_SESSION_NAME")).isEqualTo("of-a-role");
        } finally {
            System.clearProperty("AWS_WEB_IDENTITY_TOKEN_FILE");
        }
    }

    /** Of the provider that asks at this address. */
    private static Object accessKey(ClassLoader loader, CannedHttp server, String property)
            throws Exception {
        Class<?> http = loader.loadClass("io.dstl.shaded.okhttp3.OkHttpClient");
        System.setProperty(property, server.url());
        try {
            Object provider =
                    loader.loadClass(MINIO + "credentials.IamAwsProvider")
                            .getConstructor(String.class, http)
                            .newInstance(server.url(), null);
            Object credentials = provider.getClass().getMethod("fetch").invoke(provider);
            return credentials.getClass().getMethod("accessKey").invoke(credentials);
        } finally {
            System.clearProperty(property);
        }
    }

    @Test
    void namesFactoriesThatItHolds() throws IOException {
        String providers = jar.text("META-INF/services/" + factory());
        assertThat(providers.lines())
                .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .isSubsetOf(jar.classNames());
    }

    private static String factory() {
        return StateChangelogStorageFactory.class.getName();
    }

    @Test
    void tellsItsVersion() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(jar.text("io/dstl/version.properties")));
        assertThat(properties)
                .containsEntry("version", System.getProperty("dstl.version"))
                .containsEntry("flink.version", System.getProperty("flink.version"));
    }

    @Test
    void carriesLicenseAndNotice() throws IOException {
        Path root = Path.of(System.getProperty("dstl.root"));
        assertThat(jar.text("META-INF/LICENSE"))
                .isEqualTo(Files.readString(root.resolve("LICENSE"), UTF_8));
        assertThat(jar.text("META-INF/NOTICE"))
                .isEqualTo(Files.readString(root.resolve("NOTICE"), UTF_8));
    }

    @Test
    void carriesNoSignature() {
        assertThat(jar.files()).noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"));
    }
}
