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
package io.dstl.harness.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.kubernetes.operator.api.FlinkDeployment;
import org.apache.flink.kubernetes.operator.api.spec.FlinkVersion;
import org.apache.flink.kubernetes.operator.api.spec.UpgradeMode;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The samples for Kubernetes, read by the classes of Flink's operator. */
class KubernetesSampleTest {
    private static final Path CONF = Path.of("..", "conf");
    private static final Path SAMPLES = CONF.resolve("kubernetes");
    private static final String ON_1_20 = "flink-1.20.yaml";
    private static final String ON_2 = "flink-2.yaml";
    private static final String COMMANDS = "commands.yaml";

    private static final ObjectMapper OPERATOR = strict();

    /** What the operator sets from elsewhere in the file, or Kubernetes makes superfluous. */
    private static final Set<String> NOT_ON_KUBERNETES =
            Set.of(
                    "jobmanager.rpc.address",
                    "jobmanager.rpc.port",
                    "jobmanager.bind-host",
                    "jobmanager.memory.process.size",
                    "rest.address",
                    "rest.bind-address",
                    "rest.port",
                    "taskmanager.bind-host",
                    "taskmanager.host",
                    "taskmanager.memory.process.size",
                    "parallelism.default",
                    "env.java.opts.all",
                    // A service account has a role.
                    "s3.endpoint",
                    "s3.path.style.access",
                    "s3.access-key",
                    "s3.secret-key");

    /** Of another deployment's. */
    private static final Set<String> PATHS =
            Set.of("dstl.dfs.base-path", CheckpointingOptions.CHECKPOINTS_DIRECTORY.key());

    private static final Pattern IMAGE_VERSION =
            Pattern.compile("FLINK=((\\d+\\.\\d+)\\.\\d+)-java17");

    @TempDir private Path directory;

    /** Fails on each field that the operator's classes would pass over in silence. */
    private static ObjectMapper strict() {
        ObjectMapper mapper = new ObjectMapper(new YAMLFactory());
        mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        mapper.setAnnotationIntrospector(
                new JacksonAnnotationIntrospector() {
                    @Override
                    public JsonIgnoreProperties.Value findPropertyIgnoralByName(
                            MapperConfig<?> config, Annotated annotated) {
                        return super.findPropertyIgnoralByName(config, annotated)
                                .withoutIgnoreUnknown();
                    }

                    @Override
                    public Boolean hasAnySetter(Annotated annotated) {
                        return false;
                    }
                });
        return mapper;
    }

    private static JsonNode tree(String name) throws IOException {
        return OPERATOR.readTree(Files.readString(SAMPLES.resolve(name)));
    }

    private static Map<String, String> settings(String name) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        configuration(name)
                .fields()
                .forEachRemaining(entry -> settings.put(entry.getKey(), entry.getValue().asText()));
        return settings;
    }

    private static JsonNode configuration(String name) throws IOException {
        return tree(name).at("/spec/flinkConfiguration");
    }

    @Test
    void isADeploymentToTheOperator() throws IOException {
        FlinkDeployment deployment =
                OPERATOR.readValue(
                        Files.readString(SAMPLES.resolve(ON_1_20)), FlinkDeployment.class);

        assertThat(deployment.getApiVersion()).isEqualTo("flink.apache.org/v1beta1");
        assertThat(deployment.getKind()).isEqualTo("FlinkDeployment");
        assertThat(deployment.getSpec().getFlinkVersion()).isEqualTo(FlinkVersion.v1_20);
        assertThat(deployment.getSpec().getServiceAccount()).isNotEmpty();
        assertThat(deployment.getSpec().getJob().getUpgradeMode())
                .isEqualTo(UpgradeMode.LAST_STATE);
    }

    /** These classes know no Flink 2, so its sample is held to the other. */
    @Test
    void onFlink2ItDiffersInImageAndVersion() throws IOException {
        ObjectNode onOne = (ObjectNode) tree(ON_1_20);
        ObjectNode onTwo = (ObjectNode) tree(ON_2);
        for (String differing : List.of("image", "flinkVersion")) {
            JsonNode other = onTwo.withObject("/spec").remove(differing);
            assertThat(onOne.withObject("/spec").remove(differing)).isNotEqualTo(other);
        }

        assertThat(onTwo).isEqualTo(onOne);
    }

    /** At each depth; in the job, and in a pod, the operator's classes take any. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "  serviceAccount:  | serviceAcount | '  serviceAcount:  '",
                "    upgradeMode:   | upgradeMod    | '    upgradeMod:   '",
                "      memory:      | memori        | '      memori:      '",
                "  name: flights    | nam           | '  nam: flights    '",
                "  jobManager:      | containerz    | '  podTemplate: {spec: {containerz: []}}\n  jobManager:'",
            })
    void refusesAFieldThatTheOperatorDoesNotKnow(String right, String unknown, String wrong)
            throws IOException {
        String text = Files.readString(SAMPLES.resolve(ON_1_20));
        assertThat(text).contains(right.strip());

        assertThatThrownBy(
                        () ->
                                OPERATOR.readValue(
                                        text.replaceFirst(
                                                Pattern.quote(right.strip()), wrong.strip()),
                                        FlinkDeployment.class))
                .isInstanceOf(UnrecognizedPropertyException.class)
                .hasMessageContaining("\"" + unknown + "\"");
    }

    /** An operator before nested settings takes text alone, and refuses a bare true or 10. */
    @ParameterizedTest
    @ValueSource(strings = {ON_1_20, ON_2})
    void setsTextsOnly(String name) throws IOException {
        assertThat(configuration(name)).isNotEmpty().allMatch(JsonNode::isTextual);
    }

    @ParameterizedTest
    @ValueSource(strings = {ON_1_20, ON_2})
    void setsWhatTheSampleForAClusterSets(String name) throws IOException {
        Map<String, String> sample = new TreeMap<>(clusterSample());
        assertThat(sample).containsKeys(NOT_ON_KUBERNETES.toArray(new String[0]));
        sample.keySet().removeAll(NOT_ON_KUBERNETES);
        sample.keySet().removeAll(PATHS);

        Map<String, String> settings = settings(name);

        assertThat(settings)
                .containsAllEntriesOf(sample)
                .containsKeys(PATHS.toArray(new String[0]));
        assertThat(settings).doesNotContainKeys(NOT_ON_KUBERNETES.toArray(new String[0]));
    }

    private Map<String, String> clusterSample() throws IOException {
        Files.copy(CONF.resolve("config.yaml"), directory.resolve("config.yaml"));
        return GlobalConfiguration.loadConfiguration(directory.toString()).toMap();
    }

    @ParameterizedTest
    @ValueSource(strings = {ON_1_20, ON_2})
    void setsNothingElseButOptionsOfFlink(String name) throws Exception {
        Set<String> more = new TreeSet<>(settings(name).keySet());
        more.removeAll(clusterSample().keySet());

        assertThat(more).isNotEmpty();
        assertThat(
                        keys(
                                CheckpointingOptions.class,
                                HighAvailabilityOptions.class,
                                JobManagerOptions.class))
                .containsAll(more);
    }

    /** With the configuration and the role of the deployment, where Flink looks for them. */
    @Test
    void thePodForCommandsIsThatOfTheDeployment() throws IOException {
        Pod pod = OPERATOR.readValue(Files.readString(SAMPLES.resolve(COMMANDS)), Pod.class);
        FlinkDeployment deployment =
                OPERATOR.readValue(
                        Files.readString(SAMPLES.resolve(ON_1_20)), FlinkDeployment.class);
        assertThat(pod.getKind()).isEqualTo("Pod");
        assertThat(pod.getSpec().getServiceAccountName())
                .isEqualTo(deployment.getSpec().getServiceAccount());
        Container container = pod.getSpec().getContainers().get(0);
        assertThat(container.getImage()).isEqualTo(deployment.getSpec().getImage());
        VolumeMount mount = container.getVolumeMounts().get(0);
        assertThat(mount.getMountPath()).isEqualTo("/opt/flink/conf");
        Volume volume = pod.getSpec().getVolumes().get(0);
        assertThat(volume.getName()).isEqualTo(mount.getName());
        assertThat(volume.getConfigMap().getName())
                .isEqualTo("flink-config-" + deployment.getMetadata().getName());
    }

    @Test
    void refusesAFieldOfThePodThatKubernetesDoesNotKnow() throws IOException {
        String text = Files.readString(SAMPLES.resolve(COMMANDS));
        assertThat(text).contains("mountPath:");

        assertThatThrownBy(() -> OPERATOR.readValue(text.replace("mountPath:", "path:"), Pod.class))
                .isInstanceOf(UnrecognizedPropertyException.class)
                .hasMessageContaining("\"path\"");
    }

    private static Set<String> keys(Class<?>... holders) throws IllegalAccessException {
        Set<String> keys = new TreeSet<>();
        for (Class<?> holder : holders) {
            for (Field field : holder.getFields()) {
                if (field.getType() == ConfigOption.class) {
                    keys.add(((ConfigOption<?>) field.get(null)).key());
                }
            }
        }
        return keys;
    }

    @ParameterizedTest
    @ValueSource(strings = {ON_1_20, ON_2})
    void recoversByKubernetesFromWhereItsOwnFilesAre(String name) throws IOException {
        Configuration flink = Configuration.fromMap(settings(name));

        assertThat(HighAvailabilityMode.fromConfig(flink))
                .isEqualTo(HighAvailabilityMode.KUBERNETES);
        List<String> paths =
                List.of(
                        flink.toMap().get("dstl.dfs.base-path"),
                        flink.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY),
                        flink.get(CheckpointingOptions.SAVEPOINT_DIRECTORY),
                        flink.get(HighAvailabilityOptions.HA_STORAGE_PATH));
        assertThat(paths)
                .doesNotHaveDuplicates()
                .allMatch(path -> path.startsWith("s3://dstl/flights/"));
    }

    @Test
    void isMadeOnVersionsOfFlinkThatTheBuildChecks() throws IOException {
        String parent = Files.readString(Path.of("..", "pom.xml"));
        Matcher images = IMAGE_VERSION.matcher(Files.readString(SAMPLES.resolve("Dockerfile")));
        Set<String> minors = new TreeSet<>();
        while (images.find()) {
            assertThat(parent).containsPattern(">[\\d.,]*\\b" + images.group(1) + "[,<]");
            minors.add("v" + images.group(2).replace('.', '_'));
        }

        assertThat(minors)
                .containsExactly(
                        tree(ON_1_20).at("/spec/flinkVersion").asText(),
                        tree(ON_2).at("/spec/flinkVersion").asText());
    }
}
