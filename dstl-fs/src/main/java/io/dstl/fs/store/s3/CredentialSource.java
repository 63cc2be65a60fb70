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
package io.dstl.fs.store.s3;

import io.minio.credentials.AwsConfigProvider;
import io.minio.credentials.AwsEnvironmentProvider;
import io.minio.credentials.Credentials;
import io.minio.credentials.IamAwsProvider;
import io.minio.credentials.Provider;
import io.minio.credentials.StaticProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;

/**
 * Where credentials come from: the configured keys, or the first of several places that has some.
 * Immutable.
 */
final class CredentialSource {

    /** A place, in the order in which AWS's own default chain looks. */
    enum Place {
        ENVIRONMENT("environment variables"),
        SYSTEM_PROPERTIES("system properties"),
        WEB_IDENTITY("web identity"),
        PROFILE("profile file"),
        MACHINE("container or instance metadata");

        private final String shown;

        Place(String shown) {
            this.shown = shown;
        }
    }

    private static final List<Place> DEFAULT_CHAIN =
            Collections.unmodifiableList(Arrays.asList(Place.values()));

    /** Classes of the AWS SDKs and of Hadoop that look in places known here. */
    private static final Map<String, List<Place>> KNOWN_CLASSES = knownClasses();

    private final Optional<StaticProvider> configured;
    private final List<Place> places;

    private CredentialSource(Optional<StaticProvider> configured, List<Place> places) {
        this.configured = configured;
        this.places = places;
    }

    private static Map<String, List<Place>> knownClasses() {
        Map<String, List<Place>> classes = new HashMap<>();
        String v1 = "com.amazonaws.auth.";
        String v2 = "software.amazon.awssdk.auth.credentials.";
        String s3a = "org.apache.hadoop.fs.s3a.";
        List<Place> none = Collections.emptyList();
        classes.put(s3a + "SimpleAWSCredentialsProvider", none);
        classes.put(s3a + "TemporaryAWSCredentialsProvider", none);
        classes.put(
                "org.apache.flink.fs.s3.common.token.DynamicTemporaryAWSCredentialsProvider", none);
        for (String sdk : Arrays.asList(v1, v2)) {
            classes.put(sdk + "EnvironmentVariableCredentialsProvider", one(Place.ENVIRONMENT));
            classes.put(sdk + "InstanceProfileCredentialsProvider", one(Place.MACHINE));
            classes.put(sdk + "ProfileCredentialsProvider", one(Place.PROFILE));
        }
        classes.put(v1 + "profile.ProfileCredentialsProvider", one(Place.PROFILE));
        classes.put(v1 + "SystemPropertiesCredentialsProvider", one(Place.SYSTEM_PROPERTIES));
        classes.put(v2 + "SystemPropertyCredentialsProvider", one(Place.SYSTEM_PROPERTIES));
        classes.put(v1 + "WebIdentityTokenCredentialsProvider", one(Place.WEB_IDENTITY));
        classes.put(v2 + "WebIdentityTokenFileCredentialsProvider", one(Place.WEB_IDENTITY));
        classes.put(v1 + "EC2ContainerCredentialsProviderWrapper", one(Place.MACHINE));
        classes.put(v2 + "ContainerCredentialsProvider", one(Place.MACHINE));
        classes.put(s3a + "auth.IAMInstanceCredentialsProvider", one(Place.MACHINE));
        classes.put(v1 + "DefaultAWSCredentialsProviderChain", DEFAULT_CHAIN);
        classes.put(v2 + "DefaultCredentialsProvider", DEFAULT_CHAIN);
        return Collections.unmodifiableMap(classes);
    }

    private static List<Place> one(Place place) {
        return Collections.singletonList(place);
    }

    /**
     * @throws UnsupportedS3Exception if half of a key pair is missing, or a class is to provide
     *     credentials that is not known here
     */
    static CredentialSource of(S3Keys keys) throws UnsupportedS3Exception {
        Optional<StaticProvider> configured = configured(keys);
        Optional<S3Keys.Entry> classes =
                keys.entry("aws.credentials.provider", "credentials.provider");
        if (classes.isPresent()) {
            return new CredentialSource(configured, places(classes.get()));
        }
        if (keys.flag(false, "use.instance.credentials")) {
            return new CredentialSource(configured, one(Place.MACHINE));
        }
        return new CredentialSource(configured, DEFAULT_CHAIN);
    }

    private static Optional<StaticProvider> configured(S3Keys keys) throws UnsupportedS3Exception {
        Optional<S3Keys.Entry> accessKey = keys.entry("access.key");
        Optional<S3Keys.Entry> secretKey = keys.entry("secret.key");
        if (accessKey.isPresent() != secretKey.isPresent()) {
            throw new UnsupportedS3Exception(
                    accessKey.isPresent()
                            ? "s3.access-key is set without s3.secret-key"
                            : "s3.secret-key is set without s3.access-key",
                    "Set both or none");
        }
        return accessKey.map(
                entry ->
                        new StaticProvider(
                                entry.value(),
                                secretKey.get().value(),
                                keys.text("session.token").orElse(null)));
    }

    private static List<Place> places(S3Keys.Entry classes) throws UnsupportedS3Exception {
        Set<Place> places = new LinkedHashSet<>();
        for (String name : classes.value().split("[,\\s]+")) {
            List<Place> known = KNOWN_CLASSES.get(name);
            if (known == null) {
                throw new UnsupportedS3Exception(
                        classes.shown() + ", of which " + name + " is not known here",
                        "Name a provider of the AWS SDK or of Hadoop, or set"
                                + " state.changelog.dstl.dfs.s3.client to filesystem");
            }
            places.addAll(known);
        }
        return Collections.unmodifiableList(new ArrayList<>(places));
    }

    /**
     * @param http asks for credentials
     */
    Provider provider(OkHttpClient http, S3Environment environment, WallClock clock) {
        if (configured.isPresent()) {
            return configured.get();
        }
        Map<String, Provider> providers = new java.util.LinkedHashMap<>();
        for (Place place : places) {
            boolean outside =
                    place == Place.WEB_IDENTITY
                            && !environment.variable("AWS_WEB_IDENTITY_TOKEN_FILE").isPresent();
            if (!outside) {
                providers.put(place.shown, provider(place, http));
            }
        }
        return new CredentialChain(providers, clock);
    }

    private static Provider provider(Place place, OkHttpClient http) {
        switch (place) {
            case ENVIRONMENT:
                return new AwsEnvironmentProvider();
            case SYSTEM_PROPERTIES:
                return CredentialSource::fromSystemProperties;
            case PROFILE:
                return new AwsConfigProvider(null, null);
            case WEB_IDENTITY:
            case MACHINE:
                return new IamAwsProvider(null, http);
        }
        throw new AssertionError(place);
    }

    /** By the names of the first and of the second SDK. */
    private static Credentials fromSystemProperties() {
        String secretKey = System.getProperty("aws.secretAccessKey");
        return new Credentials(
                System.getProperty("aws.accessKeyId"),
                secretKey == null ? System.getProperty("aws.secretKey") : secretKey,
                System.getProperty("aws.sessionToken"),
                null);
    }

    /** The places, and no secret. */
    @Override
    public String toString() {
        return configured.isPresent()
                ? "the configured keys"
                : places.stream().map(place -> place.shown).collect(Collectors.joining(", "));
    }
}
