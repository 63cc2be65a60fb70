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

import io.dstl.store.StoreProvider.ClientChoice;
import io.dstl.store.s3.S3Provider.S3Decision;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class S3DecisionTest {

    private static final String PRESTOS = "org.apache.flink.fs.s3presto.FlinkS3PrestoFileSystem";

    private final Configuration config = new Configuration();
    private final Map<String, String> environment = new HashMap<>();

    private S3Decision decide(ClientChoice choice, String path, String files) {
        return S3Decision.of(
                choice, config, new Path(path), files, GivenEnvironment.of(environment));
    }

    @Test
    void isTheDirectClientForEachSchemeOfS3() {
        for (String scheme : new String[] {"s3", "s3a", "s3p", "S3"}) {
            S3Decision decision = decide(ClientChoice.AUTO, scheme + "://b/base", PRESTOS);
            assertThat(decision.isDirect()).as(scheme).isTrue();
            assertThat(decision)
                    .asString()
                    .startsWith("the direct S3 client (endpoint https://s3.amazonaws.com:443");
        }
    }

    @Test
    void isFlinksFileSystemElsewhere() {
        S3Decision decision =
                decide(ClientChoice.DIRECT, "file:///base", LocalFileSystem.class.getName());

        assertThat(decision.isDirect()).isFalse();
        assertThat(decision).hasToString("Flink's file system (the path is not on S3)");
    }

    @Test
    void isFlinksFileSystemWhereThatIsWanted() {
        S3Decision decision = decide(ClientChoice.FILESYSTEM, "s3://b/base", PRESTOS);

        assertThat(decision)
                .hasToString(
                        "Flink's file system (state.changelog.dstl.dfs.s3.client is filesystem)");
    }

    @Test
    void saysWhichKeyKeepsTheDirectClientAway() {
        config.setString("s3.sse.type", "SSE-KMS");

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", PRESTOS))
                .hasToString(
                        "Flink's file system (the direct S3 client cannot follow:"
                                + " s3.sse.type is SSE-KMS. Leave it out,"
                                + " or set state.changelog.dstl.dfs.s3.client to filesystem)");
    }

    @Test
    void refusesWhereItHasToBeTheDirectClient() {
        config.setString("s3.sse.type", "SSE-KMS");

        assertThatThrownBy(() -> decide(ClientChoice.DIRECT, "s3://b/base", PRESTOS))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("state.changelog.dstl.dfs.s3.client is direct")
                .hasMessageContaining("s3.sse.type is SSE-KMS")
                .hasMessageContaining("Leave it out");
    }

    @Test
    void saysThatFlinkLimitsTheConnections() {
        String limited = "org.apache.flink.core.fs.LimitedConnectionsFileSystem";

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", limited))
                .asString()
                .contains("by fs.<scheme>.limit.*", "set s3.connection.maximum")
                .doesNotContain("plugins/");
    }

    /** Flink's file systems sign with them, the direct client would take them for the bucket. */
    @Test
    void standsBackFromCredentialsInThePath() {
        S3Decision decision = decide(ClientChoice.AUTO, "s3://key:pass-word@b/base", PRESTOS);

        assertThat(decision.isDirect()).isFalse();
        assertThat(decision)
                .asString()
                .contains("the path holds credentials", "set s3.access-key and s3.secret-key")
                .doesNotContain("pass-word");
        assertThatThrownBy(() -> decide(ClientChoice.DIRECT, "s3://key:pass-word@b/base", PRESTOS))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("the path holds credentials")
                .hasMessageNotContaining("pass-word");
    }

    @ParameterizedTest
    @CsvSource({
        "s3.sse.type, sse-kms",
        "s3.sse.kms.key-id, an id",
        "s3.assume-role.arn, arn:aws:iam::123456789012:role/flink",
        "fs.s3.aws.credentials.provider, AnonymousCredentialsProvider"
    })
    void standsBackFromWhatTheNativeFileSystemDoesBeyond(String key, String value) {
        String natives = "org.apache.flink.fs.s3native.NativeS3FileSystem";
        config.setString("fs.s3a.sse.type", "SSE-KMS");

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", natives).isDirect()).isTrue();

        config.setString(key, value);

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", natives))
                .asString()
                .contains("cannot follow: " + key + " is ");
    }

    /** Hadoop's own on the class path, say, which has its configuration from core-site.xml. */
    @Test
    void standsBackFromAFileSystemThatIsConfiguredElsewhere() {
        assertThat(decide(ClientChoice.AUTO, "s3://b/base", LocalFileSystem.class.getName()))
                .asString()
                .startsWith(
                        "Flink's file system (the direct S3 client cannot follow: the file system"
                                + " is org.apache.flink.core.fs.local.LocalFileSystem");
    }

    @Test
    void showsNoSecretOfAKeyItDoesNotKnow() {
        config.setString("s3.some.secret", "very-secret");

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", PRESTOS).toString())
                .contains("s3.some.secret is ")
                .doesNotContain("very-secret");
    }

    /** Hadoop's configuration replaces it for the plugin, but not for the direct client. */
    @ParameterizedTest
    @CsvSource({
        "presto.FlinkS3PrestoFileSystem, s3.access-key",
        "hadoop.HadoopS3FileSystem, s3.secret-key",
        "hadoop.HadoopS3FileSystem, fs.s3a.endpoint.region"
    })
    void standsBackFromAVariableThatThePluginReplaces(String plugin, String key) {
        config.setString("s3.access-key", "AKIDSECRET");
        config.setString("s3.secret-key", "very-secret");
        config.setString("s3.entropy.key", "${x}");
        String files = "org.apache.flink.fs.s3" + plugin;
        assertThat(decide(ClientChoice.AUTO, "s3://b/base", files).isDirect()).isTrue();

        config.setString(key, "a-${env.X:-MARKED}");

        S3Decision decision = decide(ClientChoice.AUTO, "s3://b/base", files);
        assertThat(decision.isDirect()).isFalse();
        assertThat(decision)
                .asString()
                .contains(
                        "cannot follow: " + key + " is ",
                        ", in which the file system replaces ${...}. Set it to the value itself")
                .matches(text -> text.contains("MARKED") == key.contains("region"));
        String natives = "org.apache.flink.fs.s3native.NativeS3FileSystem";
        assertThat(decide(ClientChoice.AUTO, "s3://b/base", natives).isDirect()).isTrue();
    }

    /** Which is the key itself. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fs.s3a.encryption.key",
                "s3.encryption-key",
                "s3a.server-side-encryption.key",
                "fs.s3a.server-side-encryption-key"
            })
    void showsNoKeyThatDataIsEncryptedWith(String key) {
        config.setString(key, "MDEyMzQ1Njc4OWFiY2RlZg==");
        String hadoops = "org.apache.flink.fs.s3hadoop.HadoopS3FileSystem";

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", hadoops).toString())
                .contains(key + " is ")
                .doesNotContain("MDEyMzQ1");
        assertThatThrownBy(() -> decide(ClientChoice.DIRECT, "s3://b/base", hadoops))
                .hasMessageContaining(key)
                .hasMessageNotContaining("MDEyMzQ1");
    }

    /** The plugin goes through it, and nothing may be reached without. */
    @Test
    void leavesAProxyOfTheEnvironmentToFlinksFileSystem() {
        environment.put("HTTPS_PROXY", "http://user:pass-word@proxy:3128");

        assertThat(decide(ClientChoice.AUTO, "s3://b/base", PRESTOS).toString())
                .startsWith("Flink's file system (the direct S3 client cannot follow:")
                .contains("HTTPS_PROXY is set", "Add *.s3.amazonaws.com to NO_PROXY")
                .doesNotContain("pass-word");
        assertThatThrownBy(() -> decide(ClientChoice.DIRECT, "s3://b/base", PRESTOS))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("HTTPS_PROXY")
                .hasMessageNotContaining("pass-word");
    }
}
