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
import java.net.SocketTimeoutException;
import java.security.ProviderException;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * The credentials of an EC2 instance's role, from its metadata service: by a token (version 2),
 * else without one (version 1) unless the environment forbids it. Asks anew with each call.
 */
final class InstanceCredentials implements Provider {

    private static final String DISABLED = "AWS_EC2_METADATA_DISABLED";
    private static final String V1_DISABLED = "AWS_EC2_METADATA_V1_DISABLED";
    private static final String ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT";

    private static final String DEFAULT_ENDPOINT = "http://169.254.169.254";

    private static final String ROLES = "latest/meta-data/iam/security-credentials/";

    private static final String TOKEN_HEADER = "X-aws-ec2-metadata-token";

    private final CredentialRequests requests;
    private final S3Environment environment;

    InstanceCredentials(CredentialRequests requests, S3Environment environment) {
        this.requests = requests;
        this.environment = environment;
    }

    /**
     * @throws ProviderException if the service gives none, or may not be asked
     */
    @Override
    public Credentials fetch() {
        if (isSet(DISABLED)) {
            throw new ProviderException(DISABLED + " is true");
        }
        try {
            Optional<String> token = token();
            String roles = get(ROLES, token).trim();
            if (roles.isEmpty()) {
                throw new ProviderException("The instance has no role");
            }
            return RoleCredentials.fromJson(get(ROLES + roles.split("\\R")[0].trim(), token));
        } catch (IOException e) {
            throw new ProviderException("No credentials from the instance's metadata", e);
        }
    }

    private boolean isSet(String name) {
        return environment
                .variable(name)
                .filter(value -> value.equalsIgnoreCase("true"))
                .isPresent();
    }

    /** None where the service knows version 1 only, or its answer doesn't come as far as here. */
    private Optional<String> token() throws IOException {
        Request request =
                new Request.Builder()
                        .url(address("latest/api/token"))
                        .header("X-aws-ec2-metadata-token-ttl-seconds", "21600")
                        .put(RequestBody.create(new byte[0], null))
                        .build();
        try {
            return Optional.of(requests.send(request).trim());
        } catch (CredentialRequests.StatusException e) {
            if (e.status() != 403 && e.status() != 404 && e.status() != 405) {
                throw e;
            }
            return withoutToken(e);
        } catch (SocketTimeoutException e) {
            return withoutToken(e);
        }
    }

    private Optional<String> withoutToken(IOException failure) throws IOException {
        if (isSet(V1_DISABLED)) {
            throw new ProviderException(
                    "The metadata service gives no token, and "
                            + V1_DISABLED
                            + " is true, so it is not asked without one",
                    failure);
        }
        return Optional.empty();
    }

    private String get(String path, Optional<String> token) throws IOException {
        Request.Builder request = new Request.Builder().url(address(path));
        token.ifPresent(text -> request.header(TOKEN_HEADER, text));
        return requests.send(request.build());
    }

    private HttpUrl address(String path) {
        String endpoint = environment.variable(ENDPOINT).orElse(DEFAULT_ENDPOINT);
        HttpUrl url = HttpUrl.parse(endpoint);
        if (url == null) {
            throw new ProviderException(ENDPOINT + " is not an address");
        }
        return url.newBuilder().addPathSegments(path).build();
    }
}
