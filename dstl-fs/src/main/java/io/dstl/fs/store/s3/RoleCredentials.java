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
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/** Temporary credentials of a role, with their end. Immutable. */
final class RoleCredentials extends Credentials {

    private static final JsonFactory JSON = new JsonFactory();

    private final Instant end;

    RoleCredentials(String accessKey, String secretKey, String sessionToken, Instant end) {
        super(accessKey, secretKey, sessionToken, null);
        this.end = end;
    }

    /**
     * As the agent of a container and the metadata of an instance answer.
     *
     * @throws IOException if it is nothing of the kind; says nothing of its content but a code
     */
    static RoleCredentials fromJson(String answer) throws IOException {
        Map<String, String> fields = fields(answer);
        String code = fields.getOrDefault("Code", "Success");
        if (!code.equals("Success")) {
            throw new IOException("The answer has the code " + code);
        }
        return of(
                fields.getOrDefault("AccessKeyId", ""),
                fields.getOrDefault("SecretAccessKey", ""),
                fields.getOrDefault("Token", ""),
                fields.getOrDefault("Expiration", ""));
    }

    /** As AWS's STS answers: the element {@code Credentials}. */
    static RoleCredentials fromXml(XmlElement credentials) throws IOException {
        return of(
                credentials.childText("AccessKeyId").trim(),
                credentials.childText("SecretAccessKey").trim(),
                credentials.childText("SessionToken").trim(),
                credentials.childText("Expiration").trim());
    }

    private static RoleCredentials of(
            String accessKey, String secretKey, String sessionToken, String end)
            throws IOException {
        if (accessKey.isEmpty() || secretKey.isEmpty() || sessionToken.isEmpty()) {
            throw new IOException("The answer has no keys with a session token");
        }
        try {
            return new RoleCredentials(
                    accessKey,
                    secretKey,
                    sessionToken,
                    DateTimeFormatter.ISO_DATE_TIME.parse(end, Instant::from));
        } catch (DateTimeException e) {
            throw new IOException("The answer does not say when the credentials end");
        }
    }

    /** Those of the outer object that are texts. */
    private static Map<String, String> fields(String answer) throws IOException {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser parser = JSON.createParser(answer)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("The answer is no JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.getCurrentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_STRING) {
                    fields.put(name, parser.getText());
                } else {
                    parser.skipChildren();
                }
            }
        } catch (JsonProcessingException e) {
            // Its text repeats parts of the answer.
            throw new IOException("The answer is not JSON");
        }
        return fields;
    }

    /** From then on they are refused. */
    Instant end() {
        return end;
    }
}
