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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.testkit.ManualTimer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import okhttp3.OkHttpClient;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Profiles from which the SDKs get credentials that the direct client would not find. */
class ProfileFilesTest {

    private static final String KEYS =
            "aws_access_key_id = AKIDSECRET\naws_secret_access_key = very-secret\n";

    @TempDir Path home;

    private final Configuration config = new Configuration();
    private GivenEnvironment environment;
    private Path credentials;
    private Path configFile;

    @BeforeEach
    void createDirectory() throws Exception {
        Path directory = Files.createDirectory(home.resolve(".aws"));
        credentials = directory.resolve("credentials");
        configFile = directory.resolve("config");
        environment = new GivenEnvironment().withProperty("user.home", home.toString());
    }

    private String places() throws UnsupportedS3Exception {
        return S3Settings.from(config, S3FileSystemKind.PRESTO, environment)
                .credentials()
                .toString();
    }

    @Test
    void keysInTheCredentialsFileAreFollowed() throws Exception {
        Files.writeString(credentials, "[default]\n" + KEYS + "[other]\nrole_arn = arn:x\n");
        Files.writeString(configFile, "[default]\nregion = eu-west-1\n" + KEYS);
        assertThat(places()).contains("profile file");
    }

    @Test
    void aMachineWithoutThemGoesOn() throws Exception {
        assertThat(places()).contains("profile file");
    }

    @ParameterizedTest
    @CsvSource({
        "credentials, [default], role_arn=arn:x, role_arn",
        "config, [default], credential_process = /bin/login, credential_process",
        "config, [ default ], sso_session = it, sso_session",
        "config, [default], aws_access_key_id = AKIDSECRET, aws_access_key_id"
    })
    void standsBackFromOtherSources(String file, String section, String line, String named)
            throws Exception {
        Path written = home.resolve(".aws").resolve(file);
        Files.writeString(written, "# mine\n" + section + "\n" + line + "\n");

        assertThatThrownBy(this::places)
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining(named + " of the profile in use is in " + written)
                .hasMessageContaining("s3.client to filesystem")
                .hasMessageNotContaining("AKIDSECRET");

        config.setString("s3.access-key", "AKIDOTHER");
        config.setString("s3.secret-key", "other-secret");
        assertThat(places()).as("with keys of Flink's").isEqualTo("the configured keys");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[job]", "[profile job]"})
    void readsTheProfileThatIsNamed(String section) throws Exception {
        Files.writeString(configFile, section + "\nrole_arn = arn:x\n[default]\nregion = a\n");
        assertThat(places()).contains("profile file");

        environment.withVariable("AWS_PROFILE", "job");
        assertThatThrownBy(this::places).hasMessageContaining("role_arn");
    }

    /** The two SDKs look for it in another order. */
    @ParameterizedTest
    @CsvSource({"PRESTO, AKIDVARIABLE", "HADOOP, AKIDVARIABLE", "NATIVE, AKIDPROPERTY"})
    void takesTheKeysOfTheProfileThatTheSdkWouldTake(S3FileSystemKind kind, String accessKey)
            throws Exception {
        Files.writeString(
                credentials,
                "[default]\n"
                        + KEYS
                        + "[a]\n"
                        + KEYS.replace("AKIDSECRET", "AKIDVARIABLE")
                        + "[b]\n"
                        + KEYS.replace("AKIDSECRET", "AKIDPROPERTY"));
        environment.withVariable("AWS_PROFILE", "a\n").withProperty("aws.profile", "b");

        assertThat(accessKey(kind)).isEqualTo(accessKey);
    }

    /** The first SDK does not know the variable. */
    @ParameterizedTest
    @CsvSource({"PRESTO, AKIDSECRET", "NATIVE, AKIDSHARED"})
    void takesTheFileThatTheSdkWouldTake(S3FileSystemKind kind, String accessKey) throws Exception {
        Files.writeString(credentials, "[default]\n" + KEYS);
        Path shared = home.resolve("shared");
        Files.writeString(shared, "[default]\n" + KEYS.replace("AKIDSECRET", "AKIDSHARED"));
        environment.withVariable("AWS_SHARED_CREDENTIALS_FILE", shared.toString());

        assertThat(accessKey(kind)).isEqualTo(accessKey);
    }

    private String accessKey(S3FileSystemKind kind) throws Exception {
        if (kind == S3FileSystemKind.HADOOP) {
            config.setString(
                    "fs.s3a.aws.credentials.provider",
                    "com.amazonaws.auth.profile.ProfileCredentialsProvider");
        }
        return S3Settings.from(config, kind, environment)
                .credentials()
                .open(
                        new OkHttpClient(),
                        environment,
                        Instant::now,
                        new ManualTimer(),
                        Runnable::run)
                .fetch()
                .accessKey();
    }

    /** Without the rest of them the SDK goes on to the profile. */
    @ParameterizedTest
    @CsvSource({
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID, AWS_SECRET_KEY",
        "AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN",
        "aws.accessKeyId, aws.secretAccessKey",
        "aws.accessKeyId, aws.secretKey"
    })
    void isNotAskedWhereAnEarlierPlaceHasCredentials(String first, String rest) throws Exception {
        Files.writeString(configFile, "[default]\nrole_arn = arn:x\n");
        set(first, "AKIDSECRET");
        assertStandsBack();
        set(rest, " \n");
        assertStandsBack();

        set(rest, "AKIDSECRET");
        assertThat(places()).contains("profile file");
    }

    private void assertStandsBack() {
        assertThatThrownBy(this::places)
                .isInstanceOf(UnsupportedS3Exception.class)
                .hasMessageContaining("role_arn of the profile in use");
    }

    private void set(String name, String value) {
        if (name.startsWith("aws.")) {
            environment.withProperty(name, value);
        } else {
            environment.withVariable(name, value);
        }
    }

    @Test
    void standsBackFromTheFirstSdksOwnVariable() {
        environment.withVariable("AWS_CREDENTIAL_PROFILES_FILE", "/etc/aws");
        assertThatThrownBy(this::places)
                .hasMessageContaining("AWS_CREDENTIAL_PROFILES_FILE is /etc/aws");
    }
}
