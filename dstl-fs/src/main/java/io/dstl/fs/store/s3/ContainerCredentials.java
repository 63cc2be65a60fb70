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

import io.minio.credentials.Credentials;
import io.minio.credentials.Provider;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import okhttp3.HttpUrl;
import okhttp3.Request;

/**
 * The credentials of a container's role, from the agent that the environment names: that of ECS, or
 * that of EKS Pod Identity, which asks for a token from a file. Asks anew with each call, and reads
 * the token anew, as it changes.
 */
final class ContainerCredentials implements Provider {

    private static final String RELATIVE_URI = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
    private static final String FULL_URI = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
    private static final String TOKEN = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
    private static final String TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

    private static final String ECS_AGENT = "http://169.254.170.2";

    /** Of ECS and of EKS; beside this machine the only ones that may be asked without TLS. */
    private static final Set<String> AGENTS =
            Collections.unmodifiableSet(
                    new HashSet<>(
                            Arrays.asList("169.254.170.2", "169.254.170.23", "fd00:ec2::23")));

    private final CredentialRequests requests;
    private final S3Environment environment;

    ContainerCredentials(CredentialRequests requests, S3Environment environment) {
        this.requests = requests;
        this.environment = environment;
    }

    static boolean areOffered(S3Environment environment) {
        return environment.variable(RELATIVE_URI).isPresent()
                || environment.variable(FULL_URI).isPresent();
    }

    /**
     * @throws ProviderException if the agent gives none, or may not be asked
     */
    @Override
    public Credentials fetch() {
        try {
            Request.Builder request = new Request.Builder().url(agent());
            Optional<String> token = token();
            token.ifPresent(text -> request.header("Authorization", text));
            return RoleCredentials.fromJson(requests.send(request.build()));
        } catch (IOException e) {
            throw new ProviderException("No credentials from the container's agent", e);
        }
    }

    private HttpUrl agent() throws IOException {
        Optional<String> relative = environment.variable(RELATIVE_URI);
        String address = relative.map(path -> ECS_AGENT + path).orElseGet(this::fullUri);
        HttpUrl url = HttpUrl.parse(address);
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

    private String fullUri() {
        return environment
                .variable(FULL_URI)
                .orElseThrow(
                        () ->
                                new ProviderException(
                                        "neither "
                                                + RELATIVE_URI
                                                + " nor "
                                                + FULL_URI
                                                + " is set"));
    }

    private static boolean isThisMachine(String host) throws IOException {
        return Arrays.stream(InetAddress.getAllByName(host))
                .allMatch(InetAddress::isLoopbackAddress);
    }

    private Optional<String> token() throws IOException {
        Optional<String> file = environment.variable(TOKEN_FILE);
        Optional<String> token =
                file.isPresent()
                        ? Optional.of(
                                new String(
                                                Files.readAllBytes(Paths.get(file.get())),
                                                StandardCharsets.UTF_8)
                                        .trim())
                        : environment.variable(TOKEN);
        if (token.filter(text -> !text.matches("[\\x21-\\x7e ]+")).isPresent()) {
            throw new ProviderException(
                    (file.isPresent() ? TOKEN_FILE : TOKEN) + " holds no token of one line");
        }
        return token;
    }
}
