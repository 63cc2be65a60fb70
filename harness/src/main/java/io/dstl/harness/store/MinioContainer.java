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
package io.dstl.harness.store;

import com.github.dockerjava.api.command.InspectImageResponse;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.MinIOContainer;
import org.testcontainers.utility.DockerImageName;

/** MinIO in a container, started by Testcontainers. */
final class MinioContainer implements S3Store {
    /** The last release that Docker Hub has. */
    private static final String DEFAULT_IMAGE = "minio/minio:RELEASE.2025-09-07T16-13-09Z";

    private static final String IMAGE_VARIABLE = "DSTL_MINIO_IMAGE";

    /** As of the tests: {@code RequiresDocker} of the test kit. */
    private static final String DOCKER_VARIABLE = "DSTL_REQUIRE_DOCKER";

    private final MinIOContainer container;

    /**
     * @param environment may name another image
     */
    MinioContainer(Map<String, String> environment) {
        container =
                new MinIOContainer(
                                DockerImageName.parse(
                                                environment.getOrDefault(
                                                        IMAGE_VARIABLE, DEFAULT_IMAGE))
                                        .asCompatibleSubstituteFor("minio/minio"))
                        .withUserName(ACCESS_KEY)
                        .withPassword(SECRET_KEY);
        try {
            container.start();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "Docker answers, but does not start "
                            + container.getDockerImageName()
                            + ": "
                            + e.getMessage()
                            + ". See that it can pull the image, or go on without Docker by"
                            + " --store embedded",
                    e);
        }
    }

    /** Whether no other store may take its place, where Docker is to be had. */
    static boolean isAskedFor(Map<String, String> environment) {
        return environment.containsKey(IMAGE_VARIABLE)
                || Boolean.parseBoolean(environment.get(DOCKER_VARIABLE));
    }

    /** Whether a Docker engine answers. One that can't be used says so as the container starts. */
    static boolean available() {
        try {
            return DockerClientFactory.instance().isDockerAvailable();
        } catch (RuntimeException e) {
            // It answers, and cannot start the container that removes the others.
            return true;
        }
    }

    @Override
    public URI endpoint() {
        return URI.create(container.getS3URL());
    }

    /** With the digest, as a tag may be another image tomorrow. */
    @Override
    public String description() {
        String image = container.getDockerImageName();
        return "MinIO container " + image + " (" + digest(image) + ")";
    }

    /** Of the registry that the image is from; of one built here, that of its configuration. */
    private static String digest(String image) {
        InspectImageResponse found = DockerClientFactory.lazyClient().inspectImageCmd(image).exec();
        List<String> ofRegistries = found.getRepoDigests();
        return ofRegistries == null || ofRegistries.isEmpty()
                ? found.getId()
                : ofRegistries.get(0).substring(ofRegistries.get(0).indexOf('@') + 1);
    }

    @Override
    public void close() {
        container.stop();
    }
}
