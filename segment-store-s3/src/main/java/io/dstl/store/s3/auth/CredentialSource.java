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

import io.dstl.store.s3.config.EnvironmentProxy;
import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.ProfileFiles;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.dstl.store.s3.config.S3FileSystemKind;
import io.dstl.store.s3.config.S3Keys;
import io.minio.credentials.AwsConfigProvider;
import io.minio.credentials.AwsEnvironmentProvider;
import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import io.minio.credentials.StaticProvider;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source of credentials: the first of several places that has some, which are those of Flink's
 * file system, in its order. Immutable.
 */
public final class CredentialSource {

    /** A place; after the configured keys in the order of AWS's own default chain. */
    enum Place {
        SESSION_KEYS("the configured keys and session token"),
        KEYS("the configured keys"),
        ENVIRONMENT("environment variables"),
        SYSTEM_PROPERTIES("system properties"),
        WEB_IDENTITY("web identity"),
        PROFILE("profile file"),
        /** The container's agent only. */
        CONTAINER("container metadata"),
        /** The instance only: a pod's role may differ from that of its node. */
        INSTANCE("instance metadata"),
        /** The container's agent; the instance only if the environment names no agent. */
        CONTAINER_OR_INSTANCE("container or instance metadata");

        private final String shown;

        Place(String shown) {
            this.shown = shown;
        }
    }

    private static final List<Place> DEFAULT_CHAIN =
            List.of(
                    Place.ENVIRONMENT,
                    Place.SYSTEM_PROPERTIES,
                    Place.WEB_IDENTITY,
                    Place.PROFILE,
                    Place.CONTAINER_OR_INSTANCE);

    /** S3A's places if no classes are named. */
    private static final List<Place> S3A_CHAIN =
            List.of(Place.SESSION_KEYS, Place.KEYS, Place.ENVIRONMENT, Place.CONTAINER_OR_INSTANCE);

    /** Places of Flink's native file system after the named classes. It knows no session token. */
    private static final List<Place> NATIVE_CHAIN = nativeChain();

    /** The package of a class that is named without one. */
    private static final String NATIVE_PACKAGE = "software.amazon.awssdk.auth.credentials.";

    /** Classes of the AWS SDKs and of Hadoop with the places that they read. */
    private static final Map<String, List<Place>> KNOWN_CLASSES = knownClasses();

    private final Map<Place, Provider> configured;
    private final List<Place> places;
    private final ProfileFiles profile;

    /** Empty if the environment has no web identity. */
    private final Optional<HttpUrl> sts;

    private CredentialSource(
            Map<Place, Provider> configured,
            List<Place> places,
            ProfileFiles profile,
            Optional<HttpUrl> sts) {
        this.configured = configured;
        this.places = places;
        this.profile = profile;
        this.sts = sts;
    }

    private static List<Place> nativeChain() {
        List<Place> chain = new ArrayList<>();
        chain.add(Place.KEYS);
        chain.addAll(DEFAULT_CHAIN);
        return List.copyOf(chain);
    }

    private static Map<String, List<Place>> knownClasses() {
        Map<String, List<Place>> classes = new HashMap<>();
        String v1 = "com.amazonaws.auth.";
        String v2 = "software.amazon.awssdk.auth.credentials.";
        String s3a = "org.apache.hadoop.fs.s3a.";
        classes.put(s3a + "SimpleAWSCredentialsProvider", List.of(Place.KEYS));
        classes.put(s3a + "TemporaryAWSCredentialsProvider", List.of(Place.SESSION_KEYS));
        classes.put(
                "org.apache.flink.fs.s3.common.token.DynamicTemporaryAWSCredentialsProvider",
                List.of());
        classes.put(
                "org.apache.flink.fs.s3native.token.DynamicTemporaryAWSCredentialsProvider",
                List.of());
        for (String sdk : List.of(v1, v2)) {
            classes.put(sdk + "EnvironmentVariableCredentialsProvider", List.of(Place.ENVIRONMENT));
            classes.put(sdk + "InstanceProfileCredentialsProvider", List.of(Place.INSTANCE));
            classes.put(sdk + "ProfileCredentialsProvider", List.of(Place.PROFILE));
        }
        classes.put(v1 + "profile.ProfileCredentialsProvider", List.of(Place.PROFILE));
        classes.put(v1 + "SystemPropertiesCredentialsProvider", List.of(Place.SYSTEM_PROPERTIES));
        classes.put(v2 + "SystemPropertyCredentialsProvider", List.of(Place.SYSTEM_PROPERTIES));
        classes.put(v1 + "WebIdentityTokenCredentialsProvider", List.of(Place.WEB_IDENTITY));
        classes.put(v2 + "WebIdentityTokenFileCredentialsProvider", List.of(Place.WEB_IDENTITY));
        classes.put(v2 + "ContainerCredentialsProvider", List.of(Place.CONTAINER));
        List<Place> either = List.of(Place.CONTAINER_OR_INSTANCE);
        classes.put(v1 + "EC2ContainerCredentialsProviderWrapper", either);
        classes.put(s3a + "auth.IAMInstanceCredentialsProvider", either);
        classes.put(v1 + "DefaultAWSCredentialsProviderChain", DEFAULT_CHAIN);
        classes.put(v2 + "DefaultCredentialsProvider", DEFAULT_CHAIN);
        return Map.copyOf(classes);
    }

    /**
     * @throws UnsupportedS3Exception if half of a key pair is missing, or credentials may have to
     *     come from a place that is not supported here
     */
    public static CredentialSource of(S3Keys keys, S3FileSystemKind kind, S3Environment environment)
            throws UnsupportedS3Exception {
        Map<Place, Provider> configured = configured(keys);
        List<Place> places = reached(places(keys, kind, configured), configured);
        if (places.isEmpty()) {
            throw new UnsupportedS3Exception(
                    keys.entry("aws.credentials.provider").map(S3Keys.Entry::shown).orElse("")
                            + " while no keys for it are configured",
                    "Set s3.access-key and s3.secret-key, or name other providers");
        }
        Optional<HttpUrl> sts = Optional.empty();
        if (places.contains(Place.WEB_IDENTITY) && RoleProviders.isWebIdentity(environment)) {
            if (reaches(Place.WEB_IDENTITY, places, environment)
                    && RoleProviders.namesRole(environment)) {
                RoleProviders.checkPartition(environment);
            }
            sts = Optional.of(RoleProviders.sts(environment));
            EnvironmentProxy.checkCredentials(environment, sts.get());
        }
        ProfileFiles profile = ProfileFiles.of(kind, environment);
        if (reaches(Place.PROFILE, places, environment)) {
            profile.check();
        }
        return new CredentialSource(configured, places, profile, sts);
    }

    /** Providers take white space away, and then give no credentials. */
    private static boolean isText(Optional<String> value) {
        return value.filter(text -> !text.isBlank()).isPresent();
    }

    /** Whether no place before that one has or names credentials that are whole. */
    private static boolean reaches(Place wanted, List<Place> places, S3Environment environment) {
        for (Place place : places) {
            if (place == wanted) {
                return true;
            }
            switch (place) {
                case ENVIRONMENT:
                    if (isText(environment.variable("AWS_ACCESS_KEY_ID"))
                            && isText(
                                    environment
                                            .variable("AWS_SECRET_ACCESS_KEY")
                                            .or(() -> environment.variable("AWS_SECRET_KEY")))) {
                        return false;
                    }
                    break;
                case SYSTEM_PROPERTIES:
                    if (isText(environment.property("aws.accessKeyId"))
                            && isText(
                                    environment
                                            .property("aws.secretAccessKey")
                                            .or(() -> environment.property("aws.secretKey")))) {
                        return false;
                    }
                    break;
                case WEB_IDENTITY:
                    if (RoleProviders.isWebIdentity(environment)
                            && RoleProviders.namesRole(environment)) {
                        return false;
                    }
                    break;
                default:
                    break;
            }
        }
        return false;
    }

    private static List<Place> places(
            S3Keys keys, S3FileSystemKind kind, Map<Place, Provider> configured)
            throws UnsupportedS3Exception {
        switch (kind) {
            case PRESTO:
                return ofPresto(keys, configured);
            case HADOOP:
                return ofClasses(keys, "", S3A_CHAIN);
            case NATIVE:
                return ofNative(keys);
        }
        throw new AssertionError(kind);
    }

    private static Map<Place, Provider> configured(S3Keys keys) throws UnsupportedS3Exception {
        Optional<S3Keys.Entry> accessKey = keys.entry("access.key");
        Optional<S3Keys.Entry> secretKey = keys.entry("secret.key");
        if (accessKey.isPresent() != secretKey.isPresent()) {
            throw new UnsupportedS3Exception(
                    accessKey.isPresent()
                            ? "s3.access-key is set without s3.secret-key"
                            : "s3.secret-key is set without s3.access-key",
                    "Set both or none");
        }
        Map<Place, Provider> configured = new EnumMap<>(Place.class);
        if (accessKey.isPresent()) {
            String access = accessKey.get().value();
            String secret = secretKey.get().value();
            configured.put(Place.KEYS, new StaticProvider(access, secret, null));
            keys.text("session.token")
                    .ifPresent(
                            token ->
                                    configured.put(
                                            Place.SESSION_KEYS,
                                            new StaticProvider(access, secret, token)));
        }
        return Collections.unmodifiableMap(configured);
    }

    /** Presto knows no list of classes, and no session token. */
    private static List<Place> ofPresto(S3Keys keys, Map<Place, Provider> configured)
            throws UnsupportedS3Exception {
        if (configured.containsKey(Place.KEYS)) {
            return List.of(Place.KEYS);
        }
        if (keys.flag(false, "use.instance.credentials")) {
            return List.of(Place.INSTANCE);
        }
        Optional<S3Keys.Entry> custom = keys.entry("credentials.provider");
        if (custom.isPresent()) {
            throw new UnsupportedS3Exception(
                    custom.get().shown() + ", and its class is not known here",
                    "Leave it out, or set state.changelog.dstl.dfs.s3.client to filesystem");
        }
        return DEFAULT_CHAIN;
    }

    /** The named classes come first, and replace no place. */
    private static List<Place> ofNative(S3Keys keys) throws UnsupportedS3Exception {
        Set<Place> places = new LinkedHashSet<>(ofClasses(keys, NATIVE_PACKAGE, List.of()));
        places.addAll(NATIVE_CHAIN);
        return List.copyOf(places);
    }

    private static List<Place> ofClasses(S3Keys keys, String ownPackage, List<Place> chain)
            throws UnsupportedS3Exception {
        Optional<S3Keys.Entry> classes = keys.entry("aws.credentials.provider");
        return classes.isPresent() ? places(classes.get(), ownPackage) : chain;
    }

    /** Without keys that are not configured, and without places after configured keys. */
    private static List<Place> reached(List<Place> places, Map<Place, Provider> configured) {
        List<Place> reached = new ArrayList<>();
        for (Place place : places) {
            if (configured.containsKey(place)) {
                reached.add(place);
                break;
            }
            if (place != Place.KEYS && place != Place.SESSION_KEYS) {
                reached.add(place);
            }
        }
        return List.copyOf(reached);
    }

    private static List<Place> places(S3Keys.Entry classes, String ownPackage)
            throws UnsupportedS3Exception {
        Set<Place> places = new LinkedHashSet<>();
        for (String name : classes.value().split("[,\\s]+")) {
            List<Place> known = KNOWN_CLASSES.get(name.contains(".") ? name : ownPackage + name);
            if (known == null) {
                throw new UnsupportedS3Exception(
                        classes.shown() + ", of which " + name + " is not known here",
                        "Name a provider of the AWS SDK or of Hadoop, or set"
                                + " state.changelog.dstl.dfs.s3.client to filesystem");
            }
            places.addAll(known);
        }
        return List.copyOf(places);
    }

    /**
     * Sends no request yet.
     *
     * @param http whose connections and threads are used for requests
     * @param clock the time of day
     * @param timer keeps the time until a renewal; does not block
     * @param executor asks for credentials, which blocks
     */
    public RenewedCredentials open(
            OkHttpClient http,
            S3Environment environment,
            Supplier<Instant> clock,
            ScheduledExecutorService timer,
            Executor executor) {
        RoleProviders roles = new RoleProviders(new RoleRequests(http), environment);
        Map<String, Provider> providers = new LinkedHashMap<>();
        for (Place place : places) {
            if (place != Place.WEB_IDENTITY || sts.isPresent()) {
                providers.put(place.shown, provider(place, roles, environment));
            }
        }
        return new RenewedCredentials(
                new CredentialChain(providers), clock, timer, executor, new LoggedRenewals());
    }

    private Provider provider(Place place, RoleProviders roles, S3Environment environment) {
        switch (place) {
            case SESSION_KEYS:
            case KEYS:
                return configured.get(place);
            case ENVIRONMENT:
                return new AwsEnvironmentProvider();
            case SYSTEM_PROPERTIES:
                return CredentialSource::fromSystemProperties;
            case PROFILE:
                return new AwsConfigProvider(profile.credentials().toString(), profile.profile());
            case WEB_IDENTITY:
                return () -> roles.ofWebIdentity(sts.get());
            case CONTAINER:
                return roles::ofContainer;
            case INSTANCE:
                return roles::ofInstance;
            case CONTAINER_OR_INSTANCE:
                return RoleProviders.isContainer(environment)
                        ? roles::ofContainer
                        : roles::ofInstance;
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
        return places.stream().map(place -> place.shown).collect(Collectors.joining(", "));
    }

    /** Warns the operator, who has until the end of the credentials. Any thread. */
    static final class LoggedRenewals implements RenewedCredentials.Listener {

        private static final Logger LOG = LoggerFactory.getLogger(LoggedRenewals.class);

        @Override
        public void failing(CachedCredentials inUse, String reason) {
            LOG.warn(
                    "The credentials for S3 could not be renewed: those there are {}, and it is tried"
                            + " again. See that their source can be reached from here and grants them:"
                            + " {}",
                    inUse,
                    reason);
        }

        @Override
        public void recovered(String place) {
            LOG.info("The credentials for S3 are renewed again, from {}", place);
        }
    }
}
