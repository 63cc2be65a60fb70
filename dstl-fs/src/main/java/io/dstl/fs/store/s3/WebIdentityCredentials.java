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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProviderException;
import java.util.Optional;
import okhttp3.FormBody;
import okhttp3.HttpUrl;
import okhttp3.Request;

/**
 * The credentials of a role for whoever has a token, as a pod has with IRSA: AWS's STS gives them
 * for the token in the file that the environment names. Asks anew with each call.
 */
final class WebIdentityCredentials implements Provider {

    private static final String TOKEN_FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";
    private static final String ROLE = "AWS_ROLE_ARN";
    private static final String SESSION = "AWS_ROLE_SESSION_NAME";

    private final CredentialRequests requests;
    private final S3Environment environment;
    private final HttpUrl service;

    /**
     * @param service STS
     */
    WebIdentityCredentials(
            CredentialRequests requests, S3Environment environment, HttpUrl service) {
        this.requests = requests;
        this.environment = environment;
        this.service = service;
    }

    static boolean areOffered(S3Environment environment) {
        return environment.variable(TOKEN_FILE).isPresent();
    }

    /** STS of the environment's region. */
    static HttpUrl service(S3Environment environment) {
        Optional<String> region = environment.variable("AWS_REGION");
        String host =
                region.map(name -> "sts." + name + ".amazonaws.com").orElse("sts.amazonaws.com");
        return new HttpUrl.Builder()
                .scheme("https")
                .host(
                        region.filter(name -> name.startsWith("cn-")).isPresent()
                                ? host + ".cn"
                                : host)
                .build();
    }

    /**
     * @throws ProviderException if STS gives none, with what it says
     */
    @Override
    public Credentials fetch() {
        try {
            return RoleCredentials.fromXml(credentials(requests.send(request())));
        } catch (CredentialRequests.StatusException e) {
            throw new ProviderException(
                    service.host()
                            + " answered "
                            + S3Error.parse(e.answer())
                                    .map(S3Error::toString)
                                    .orElse("with status " + e.status()));
        } catch (IOException e) {
            throw new ProviderException("No credentials from " + service.host(), e);
        }
    }

    /** The token is in what is sent, and not in the address, which may be written down. */
    private Request request() throws IOException {
        String token =
                new String(
                        Files.readAllBytes(Paths.get(required(TOKEN_FILE))),
                        StandardCharsets.UTF_8);
        return new Request.Builder()
                .url(service)
                .post(
                        new FormBody.Builder(StandardCharsets.UTF_8)
                                .add("Action", "AssumeRoleWithWebIdentity")
                                .add("Version", "2011-06-15")
                                .add("RoleArn", required(ROLE))
                                .add(
                                        "RoleSessionName",
                                        environment.variable(SESSION).orElse("dstl"))
                                .add("WebIdentityToken", token.trim())
                                .build())
                .build();
    }

    private String required(String name) {
        return environment
                .variable(name)
                .orElseThrow(() -> new ProviderException(name + " is not set"));
    }

    private static XmlElement credentials(String answer) throws IOException {
        return XmlElement.parse(answer.trim())
                .child("AssumeRoleWithWebIdentityResult")
                .flatMap(result -> result.child("Credentials"))
                .orElseThrow(() -> new IOException("The answer has no credentials"));
    }
}
