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
package io.dstl.store.s3.config;

import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The AWS SDKs' two profile files. MinIO's provider reads only keys of the credentials file; from
 * more than that the SDKs of Flink's file systems may get credentials of another identity.
 *
 * <p>Source: "Shared config and credentials files" of the AWS SDKs and Tools reference guide; the
 * first SDK's ways are of its {@code AwsProfileFileLocationProvider} and {@code
 * AwsProfileNameLoader}. Immutable.
 */
public final class ProfileFiles {

    private static final String REMEDY =
            "Set s3.access-key and s3.secret-key, or set state.changelog.dstl.dfs.s3.client to"
                    + " filesystem";

    /** Names a credentials file, for the first SDK only. */
    private static final String FILE_OF_FIRST_SDK = "AWS_CREDENTIAL_PROFILES_FILE";

    private static final Set<String> OTHER_SOURCES =
            Set.of(
                    "role_arn",
                    "source_profile",
                    "credential_source",
                    "credential_process",
                    "web_identity_token_file",
                    "login_session",
                    "sso_session",
                    "sso_start_url",
                    "sso_account_id");

    private static final String DEFAULT = "default";

    private final Path credentials;
    private final Path config;
    private final String profile;

    /** Another credentials file, which is not followed here. */
    private final Optional<String> another;

    private ProfileFiles(Path credentials, Path config, String profile, Optional<String> another) {
        this.credentials = credentials;
        this.config = config;
        this.profile = profile;
        this.another = another;
    }

    /**
     * The files and the profile in use, as the SDK of Flink's file system finds them. Reads none.
     */
    public static ProfileFiles of(S3FileSystemKind kind, S3Environment environment) {
        Optional<String> profile = environment.variable("AWS_PROFILE");
        if (kind == S3FileSystemKind.NATIVE) {
            return new ProfileFiles(
                    credentials(environment),
                    config(environment),
                    environment.property("aws.profile").or(() -> profile).orElse(DEFAULT),
                    Optional.empty());
        }
        Path home = Path.of(environment.property("user.home").orElse(""), ".aws");
        return new ProfileFiles(
                home.resolve("credentials"),
                home.resolve("config"),
                profile.or(() -> environment.property("aws.profile"))
                        .map(String::trim)
                        .filter(name -> !name.isEmpty())
                        .orElse(DEFAULT),
                environment.variable(FILE_OF_FIRST_SDK));
    }

    /** Where keys are looked for, whether or not it is there. */
    public Path credentials() {
        return credentials;
    }

    /** Name of the profile in use. */
    public String profile() {
        return profile;
    }

    /**
     * @throws UnsupportedS3Exception naming what the profile gets its credentials from, other than
     *     keys in the credentials file
     */
    public void check() throws UnsupportedS3Exception {
        if (another.isPresent()) {
            throw new UnsupportedS3Exception(
                    "the environment variable " + FILE_OF_FIRST_SDK + " is " + another.get(),
                    REMEDY);
        }
        Map<String, String> keys = settings(credentials, profile);
        checkSources(keys, credentials);
        Map<String, String> configured = settings(config, profile);
        checkSources(configured, config);
        if (configured.containsKey("aws_access_key_id") && !keys.containsKey("aws_access_key_id")) {
            throw unsupported("aws_access_key_id", config);
        }
    }

    private static void checkSources(Map<String, String> settings, Path file)
            throws UnsupportedS3Exception {
        for (String name : settings.keySet()) {
            if (OTHER_SOURCES.contains(name)) {
                throw unsupported(name, file);
            }
        }
    }

    private static UnsupportedS3Exception unsupported(String name, Path file) {
        return new UnsupportedS3Exception(
                name + " of the profile in use is in " + file + ", which is not followed here",
                REMEDY);
    }

    static Path config(S3Environment environment) {
        return file(environment, "aws.configFile", "AWS_CONFIG_FILE", "config");
    }

    static Path credentials(S3Environment environment) {
        return file(
                environment,
                "aws.sharedCredentialsFile",
                "AWS_SHARED_CREDENTIALS_FILE",
                "credentials");
    }

    private static Path file(
            S3Environment environment, String property, String variable, String ofHome) {
        String home =
                environment.variable("HOME").or(() -> environment.property("user.home")).orElse("");
        String name =
                environment
                        .property(property)
                        .or(() -> environment.variable(variable))
                        .orElse("~/.aws/" + ofHome);
        return Path.of(name.startsWith("~/") ? home + name.substring(1) : name);
    }

    /**
     * By name, in lower case; of the sections {@code [profile]} and {@code [profile profile]}.
     * Empty if there is no such file.
     */
    private static Map<String, String> settings(Path file, String profile)
            throws UnsupportedS3Exception {
        Map<String, String> settings = new TreeMap<>();
        boolean isInUse = false;
        for (String line : lines(file)) {
            String text = line.trim();
            int equals = line.indexOf('=');
            if (text.startsWith("[")) {
                String section = text.replaceAll("^\\[\\s*(?:profile\\s+)?|\\s*\\].*$", "");
                isInUse = section.equals(profile);
            } else if (isInUse && equals > 0) {
                settings.put(
                        line.substring(0, equals).trim().toLowerCase(Locale.ROOT),
                        line.substring(equals + 1).trim());
            }
        }
        return settings;
    }

    /**
     * @return empty if there is no such file
     * @throws UnsupportedS3Exception if there is one that can't be read
     */
    static List<String> lines(Path file) throws UnsupportedS3Exception {
        if (!Files.isRegularFile(file)) {
            return List.of();
        }
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UnsupportedS3Exception(
                    file + " can't be read, so what it says about S3 would be missed: " + e,
                    REMEDY);
        }
    }
}
