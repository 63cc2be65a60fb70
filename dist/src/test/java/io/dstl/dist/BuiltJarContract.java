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
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for each jar that goes into a Flink. */
abstract class BuiltJarContract {

    private static final int JAVA_11 = 55;

    private static final String SHADED = "io/dstl/shaded/";

    /** As in {@code - info.picocli:picocli 4.7.7}. */
    private static final Pattern NAMED_IN_NOTICE =
            Pattern.compile("[a-z][\\w.]+:([a-z][\\w.-]+) (\\d[\\w.-]*)");

    private static final Pattern LISTED_IN_BILL =
            Pattern.compile(
                    "\"group\" : \"[^\"]*\",\\s*\"name\" : \"([^\"]*)\",\\s*\"version\" : \"([^\"]*)\"");

    private static final Pattern OUR_MODULES = Pattern.compile(".*-SNAPSHOT");

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

    /** The file that its notice is, in this project. */
    abstract String notice();

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
                if (!isPresent(reference, loader) && !isOptional(name) && !isForFlink2(name)) {
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

    /** Loaded by nothing on the Flink that is here: {@link FlinkVersionsIT} has the others. */
    private static boolean isForFlink2(String classFile) {
        return classFile.startsWith("org/apache/flink/state/rocksdb/")
                || classFile.startsWith("io/dstl/changelog/flink2/");
    }

    private static boolean isPresent(String className, ClassLoader loader) {
        try {
            Class.forName(className, false, loader);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return false;
        }
    }

    /** They had 4.2 of 7.9 MB, for operations of MinIO's client that are not used. */
    @Test
    void holdsNoLibraryThatNothingNeeds() throws IOException {
        assertThat(libraries())
                .extracting(name -> name.replaceAll("-[0-9].*", ""))
                .doesNotContain("guava", "failureaccess", "jackson-core", "jackson-databind")
                .doesNotContain("jackson-annotations");
        assertThat(Files.size(jar.path())).isLessThan(5L << 20);
    }

    /**
     * The libraries whose classes are in the jar, as {@code artifact-version}: from where the build
     * has the classes of these names.
     */
    private Set<String> libraries() throws IOException {
        Set<String> libraries = new TreeSet<>();
        for (String name : jar.classFiles()) {
            if (name.startsWith(SHADED)) {
                String original = name.substring(SHADED.length());
                URL found = getClass().getClassLoader().getResource(original);
                assertThat(found).as(original).isNotNull();
                String file = ((JarURLConnection) found.openConnection()).getJarFileURL().getFile();
                libraries.add(
                        file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.jar$", ""));
            }
        }
        return libraries;
    }

    /** MinIO's provider has JSON read by Flink's Jackson and XML by its mapper, by reflection. */
    @Test
    void readsAnswersWithCredentials(@TempDir Path directory) throws Exception {
        assertThat(
                        accessKey(
                                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                "/",
                                "{\"AccessKeyId\":\"of-json\",\"SecretAccessKey\":\"s\","
                                        + "\"Token\":\"t\",\"Expiration\":\"2100-01-01T01:00:00Z\"}"))
                .isEqualTo("of-json");
        assertThat(
                        accessKey(
                                "AWS_WEB_IDENTITY_TOKEN_FILE",
                                Files.writeString(directory.resolve("token"), "t").toString(),
                                "<AssumeRoleWithWebIdentityResponse"
                                        + " xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
                                        + "<AssumeRoleWithWebIdentityResult><Credentials>"
                                        + "<AccessKeyId>of-xml</AccessKeyId>"
                                        + "<SecretAccessKey>s</SecretAccessKey>"
                                        + "<SessionToken>t</SessionToken>"
                                        + "<Expiration>2100-01-01T01:00:00Z</Expiration>"
                                        + "</Credentials></AssumeRoleWithWebIdentityResult>"
                                        + "</AssumeRoleWithWebIdentityResponse>"))
                .isEqualTo("of-xml");
    }

    private String accessKey(String variable, String value, String answer) throws Exception {
        String shaded = SHADED.replace('/', '.');
        HttpServer service =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, answer.length());
                    exchange.getResponseBody().write(answer.getBytes(UTF_8));
                    exchange.close();
                });
        service.start();
        System.setProperty(variable, value);
        try {
            ClassLoader loader = classLoader();
            Object provider =
                    Class.forName(shaded + "io.minio.credentials.IamAwsProvider", true, loader)
                            .getConstructor(
                                    String.class,
                                    Class.forName(shaded + "okhttp3.OkHttpClient", false, loader))
                            .newInstance(
                                    "http://127.0.0.1:" + service.getAddress().getPort(), null);
            Object found = provider.getClass().getMethod("fetch").invoke(provider);
            return (String) found.getClass().getMethod("accessKey").invoke(found);
        } finally {
            System.clearProperty(variable);
            service.stop(0);
        }
    }

    @Test
    void itsNoticeNamesTheLibrariesThatItHoldsAndNoOther() throws IOException {
        assertThat(named(NAMED_IN_NOTICE, jar.text("META-INF/NOTICE"))).isEqualTo(libraries());
    }

    private static Set<String> named(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        for (Matcher name = pattern.matcher(text); name.find(); ) {
            names.add(name.group(1) + "-" + name.group(2));
        }
        return names;
    }

    @Test
    void itsBillOfMaterialsListsTheLibrariesThatItHoldsAndNoOther() throws IOException {
        List<String> bills =
                jar.files().stream()
                        .filter(name -> name.startsWith("META-INF/sbom/"))
                        .collect(toList());
        assertThat(bills).hasSize(1);
        String bill = jar.text(bills.get(0));
        assertThat(bill).contains("\"CycloneDX\"");
        String components = bill.substring(bill.indexOf("\"components\" : [\n    {"));
        Set<String> listed = named(LISTED_IN_BILL, components);
        listed.removeIf(name -> OUR_MODULES.matcher(name).matches());
        assertThat(listed).isEqualTo(libraries());
    }

    /** What differs between two builds of one commit would have them differ. */
    @Test
    void itsBillOfMaterialsIsTheSameInEachBuild() throws IOException {
        for (String name : jar.files()) {
            if (name.startsWith("META-INF/sbom/")) {
                assertThat(jar.text(name))
                        .doesNotContain("\"timestamp\"")
                        .doesNotContain("\"serialNumber\"")
                        .doesNotContain(System.getProperty("user.home"));
            }
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
                .isEqualTo(Files.readString(root.resolve(notice()), UTF_8));
    }

    @Test
    void carriesNoSignature() {
        assertThat(jar.files()).noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"));
    }
}
