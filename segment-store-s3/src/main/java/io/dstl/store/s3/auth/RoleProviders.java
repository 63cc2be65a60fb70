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

import io.dstl.store.s3.auth.RoleRequests.RefusedException;
import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.Regions;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import io.minio.credentials.Credentials;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import okhttp3.FormBody;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * The credentials of the role of a container, an instance or a web identity. The environment names
 * the service to ask, the token, and what is forbidden, as AWS's SDK reads it. Each method asks
 * anew with each call, and throws a {@link ProviderException} if there are no credentials.
 *
 * <p><b>Threading.</b> Any thread; blocks, see {@link RoleRequests}.
 */
final class RoleProviders {

    private static final String RELATIVE_URI = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
    private static final String FULL_URI = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
    private static final String AGENT_TOKEN = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
    private static final String AGENT_TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

    private static final String ECS_AGENT = "http://169.254.170.2";

    /** Agents of ECS and of EKS; besides this machine only they may be asked without TLS. */
    private static final Set<String> AGENTS =
            Set.of("169.254.170.2", "169.254.170.23", "fd00:ec2::23");

    private static final String METADATA_DISABLED = "AWS_EC2_METADATA_DISABLED";
    private static final String METADATA_V1_DISABLED = "AWS_EC2_METADATA_V1_DISABLED";
    private static final String METADATA_ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT";

    private static final String IDENTITY_TOKEN_FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";
    private static final String ROLE = "AWS_ROLE_ARN";
    private static final String SESSION = "AWS_ROLE_SESSION_NAME";

    /** Characters that a header accepts. */
    private static final Pattern ONE_LINE = Pattern.compile("[\\x21-\\x7e ]+");

    private final RoleRequests requests;
    private final S3Environment environment;

    RoleProviders(RoleRequests requests, S3Environment environment) {
        this.requests = requests;
        this.environment = environment;
    }

    /** Whether the environment names the agent of a container. */
    static boolean isContainer(S3Environment environment) {
        return environment.variable(RELATIVE_URI).isPresent()
                || environment.variable(FULL_URI).isPresent();
    }

    static boolean isWebIdentity(S3Environment environment) {
        return environment.variable(IDENTITY_TOKEN_FILE).isPresent();
    }

    /** Whether the environment names the role of a web identity. */
    static boolean namesRole(S3Environment environment) {
        return environment.variable(ROLE).filter(role -> !role.isBlank()).isPresent();
    }

    /** Whether a header accepts it. */
    static boolean isOneLine(String text) {
        return ONE_LINE.matcher(text).matches();
    }

    /**
     * From the container's agent: that of ECS, or that of EKS Pod Identity, which requires a token
     * from a file. The token is read anew, as it changes.
     */
    Credentials ofContainer() {
        try {
            HttpUrl agent = agent();
            // With the first variable MinIO's provider asks the given address.
            return requests.fetch(
                    agent, Map.of(RELATIVE_URI, agent.encodedPath(), AGENT_TOKEN, agentToken()));
        } catch (IOException e) {
            throw new ProviderException("No credentials from the container's agent", e);
        }
    }

    private HttpUrl agent() throws IOException {
        Optional<String> relative = environment.variable(RELATIVE_URI);
        HttpUrl url =
                HttpUrl.parse(
                        relative.isPresent()
                                ? ECS_AGENT + relative.get()
                                : required(
                                        FULL_URI,
                                        "neither "
                                                + RELATIVE_URI
                                                + " nor "
                                                + FULL_URI
                                                + " is set"));
        if (url == null) {
            throw new ProviderException(
                    (relative.isPresent() ? RELATIVE_URI : FULL_URI)
                            + " is not the address of an agent");
        }
        if (!url.isHttps() && !AGENTS.contains(url.host()) && !isThisMachine(url.host())) {
            throw new ProviderException(
                    FULL_URI
                            + " names "
                            + url.host()
                            + ", which is asked with TLS only: set it to https://, or to the agent"
                            + " of ECS or EKS");
        }
        return url;
    }

    private static boolean isThisMachine(String host) throws IOException {
        return Arrays.stream(InetAddress.getAllByName(host))
                .allMatch(InetAddress::isLoopbackAddress);
    }

    /** Empty if there is none. */
    private String agentToken() throws IOException {
        Optional<String> file = environment.variable(AGENT_TOKEN_FILE);
        Optional<String> token =
                file.isPresent()
                        ? Optional.of(Files.readString(Paths.get(file.get())).trim())
                        : environment.variable(AGENT_TOKEN);
        if (token.filter(text -> !isOneLine(text)).isPresent()) {
            throw new ProviderException(
                    (file.isPresent() ? AGENT_TOKEN_FILE : AGENT_TOKEN)
                            + " holds no token of one line");
        }
        return token.orElse("");
    }

    /**
     * From the metadata service of the EC2 instance: by a token (version 2), or without one
     * (version 1) unless the environment forbids it.
     */
    Credentials ofInstance() {
        if (isTrue(METADATA_DISABLED)) {
            throw new ProviderException(METADATA_DISABLED + " is true");
        }
        HttpUrl service =
                HttpUrl.parse(
                        environment.variable(METADATA_ENDPOINT).orElse("http://169.254.169.254"));
        if (service == null) {
            throw new ProviderException(METADATA_ENDPOINT + " is not an address");
        }
        return requests.fetch(service, Map.of(), this::allowMissingToken);
    }

    /**
     * MinIO's provider goes on without a token after any failure. It may do so only if the service
     * supports version 1 only, or its answer does not reach this machine.
     */
    private Response allowMissingToken(Interceptor.Chain chain) throws IOException {
        if (!chain.request().method().equals("PUT")) {
            return chain.proceed(chain.request());
        }
        try {
            return withToken(chain.proceed(chain.request()));
        } catch (RefusedException e) {
            boolean knowsNone = Set.of(403, 404, 405).contains(e.status());
            if (!(knowsNone || e.timedOut())) {
                throw e;
            }
            throw withoutToken(e.getMessage(), e.getCause());
        }
    }

    /** Checks the token: MinIO's provider copies it into a header unchanged. */
    private Response withToken(Response answer) throws IOException {
        String token = answer.body().string().trim();
        if (token.isEmpty()) {
            throw withoutToken("its answer is empty", null);
        }
        if (!isOneLine(token)) {
            throw new ProviderException(
                    "the metadata service gives no token of one line: something else may answer at "
                            + METADATA_ENDPOINT);
        }
        return answer.newBuilder().body(ResponseBody.create(token, null)).build();
    }

    private IOException withoutToken(String reason, @Nullable Throwable cause) {
        if (isTrue(METADATA_V1_DISABLED)) {
            throw new ProviderException(
                    METADATA_V1_DISABLED
                            + " is true, so the metadata service is not asked without a token,"
                            + " and it gives none: "
                            + reason,
                    cause);
        }
        return new IOException("No token: " + reason, cause);
    }

    private boolean isTrue(String name) {
        return environment
                .variable(name)
                .filter(value -> value.equalsIgnoreCase("true"))
                .isPresent();
    }

    /**
     * Refuses a region whose STS {@link #sts} does not know.
     *
     * @throws UnsupportedS3Exception if STS has another name in the environment's region
     */
    static void checkPartition(S3Environment environment) throws UnsupportedS3Exception {
        Optional<String> region = Regions.ofVariable(environment, "AWS_REGION");
        if (region.filter(Regions::isIsolated).isPresent()) {
            throw new UnsupportedS3Exception(
                    "AWS_REGION is " + region.get() + ", whose STS has a host name of its own",
                    "Give credentials otherwise than by web identity, or set"
                            + " state.changelog.dstl.dfs.s3.client to filesystem");
        }
    }

    /**
     * STS of the environment's region.
     *
     * @throws UnsupportedS3Exception if that is no name of a region
     */
    static HttpUrl sts(S3Environment environment) throws UnsupportedS3Exception {
        String region =
                Regions.ofVariable(environment, "AWS_REGION").map(name -> "." + name).orElse("");
        return HttpUrl.get(
                "https://sts"
                        + region
                        + ".amazonaws.com"
                        + (region.startsWith(".cn-") ? ".cn" : ""));
    }

    /**
     * For a pod with IRSA: AWS's STS gives credentials for the token in the file that the
     * environment names.
     *
     * @throws CredentialChain.UnavailableException if STS gives no answer about the role at the
     *     moment
     */
    Credentials ofWebIdentity(HttpUrl sts) {
        Map<String, String> variables =
                Map.of(
                        IDENTITY_TOKEN_FILE,
                        required(IDENTITY_TOKEN_FILE, IDENTITY_TOKEN_FILE + " is not set"),
                        ROLE,
                        required(ROLE, ROLE + " is not set"),
                        SESSION,
                        environment.variable(SESSION).orElse("dstl"));
        try {
            return requests.fetch(sts, variables, RoleProviders::sendAsForm);
        } catch (RoleRequests.RefusedException e) {
            throw e.mayPass()
                    ? new CredentialChain.UnavailableException(e.getMessage(), e.getCause())
                    : e;
        }
    }

    /**
     * MinIO's provider puts the token into the address, which may be logged: this moves it to the
     * body.
     */
    private static Response sendAsForm(Interceptor.Chain chain) throws IOException {
        HttpUrl address = chain.request().url();
        FormBody.Builder form = new FormBody.Builder(StandardCharsets.UTF_8);
        for (int i = 0; i < address.querySize(); i++) {
            form.add(address.queryParameterName(i), address.queryParameterValue(i).trim());
        }
        Request.Builder request = chain.request().newBuilder();
        return chain.proceed(
                request.url(address.newBuilder().query(null).build()).post(form.build()).build());
    }

    private String required(String name, String problem) {
        return environment.variable(name).orElseThrow(() -> new ProviderException(problem));
    }
}
