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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Endpoints of Flink's native S3 file system from outside Flink's configuration: its AWS SDK reads
 * system properties, environment variables and the profile file. The direct client reads none of
 * them, and would connect to another store.
 *
 * <p>Sources: {@code S3ClientProvider} of flink-s3-fs-native 2.3.0; "Service-specific endpoints"
 * and "Dual-stack and FIPS endpoints" of the AWS SDKs and Tools reference guide.
 */
public final class NativeEndpoint {

    private static final String REMEDY =
            "Set s3.endpoint, or set state.changelog.dstl.dfs.s3.client to filesystem";

    private static final List<String> ENDPOINT_VARIABLES =
            List.of("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");

    private static final List<String> ENDPOINT_PROPERTIES =
            List.of("s3.endpoint", "aws.endpointUrlS3", "aws.endpointUrl");

    private static final List<String> FLAG_VARIABLES =
            List.of("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT");

    private static final List<String> FLAG_PROPERTIES =
            List.of("s3.path.style.access", "aws.useFipsEndpoint", "aws.useDualstackEndpoint");

    private NativeEndpoint() {}

    /**
     * @throws UnsupportedS3Exception naming the setting that leads the file system to another
     *     endpoint than the direct client; its value may hold a password
     */
    public static void check(S3Keys keys, S3Environment environment) throws UnsupportedS3Exception {
        boolean open = !keys.text("endpoint").isPresent();
        List<String> found = new ArrayList<>();
        if (open) {
            found.addAll(find(environment, ENDPOINT_VARIABLES, ENDPOINT_PROPERTIES, any -> true));
        }
        found.addAll(find(environment, FLAG_VARIABLES, FLAG_PROPERTIES, "true"::equalsIgnoreCase));
        if (open) {
            ofProfile(environment).ifPresent(found::add);
        }
        if (!found.isEmpty()) {
            throw new UnsupportedS3Exception(
                    found.get(0) + " is set, and Flink's file system follows it", REMEDY);
        }
    }

    private static List<String> find(
            S3Environment environment,
            List<String> variables,
            List<String> properties,
            Predicate<String> wanted) {
        List<String> found = new ArrayList<>();
        for (String name : variables) {
            if (environment.variable(name).filter(wanted).isPresent()) {
                found.add("the environment variable " + name);
            }
        }
        for (String name : properties) {
            if (environment.property(name).filter(wanted).isPresent()) {
                found.add("the system property " + name);
            }
        }
        return found;
    }

    /** Searches all profiles: the files do not tell which one is in use. */
    private static Optional<String> ofProfile(S3Environment environment)
            throws UnsupportedS3Exception {
        for (Path file :
                List.of(ProfileFiles.config(environment), ProfileFiles.credentials(environment))) {
            Optional<String> found = in(file);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> in(Path file) throws UnsupportedS3Exception {
        return ProfileFiles.lines(file).stream()
                .map(line -> line.trim().toLowerCase(Locale.ROOT))
                .filter(
                        line ->
                                line.matches("endpoint_url\\s*=.*")
                                        || line.matches(
                                                "use_(fips|dualstack)_endpoint\\s*=\\s*true"))
                .map(line -> line.substring(0, line.indexOf('=')).trim() + " in " + file)
                .findFirst();
    }
}
