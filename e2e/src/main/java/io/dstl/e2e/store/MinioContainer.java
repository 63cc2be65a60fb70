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
package io.dstl.e2e.store;

import java.net.URI;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.MinIOContainer;

/** MinIO in a container, started by Testcontainers. */
final class MinioContainer implements S3Store {
    private static final String IMAGE = "minio/minio:latest";

    private final MinIOContainer container;

    MinioContainer() {
        container =
                new MinIOContainer(IMAGE)
                        .withUserName(CREDENTIALS.accessKey())
                        .withPassword(CREDENTIALS.secretKey());
        container.start();
    }

    /** Whether a Docker engine answers. */
    static boolean available() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    @Override
    public URI endpoint() {
        return URI.create(container.getS3URL());
    }

    @Override
    public String description() {
        return "MinIO container " + IMAGE;
    }

    @Override
    public void close() {
        container.stop();
    }
}
