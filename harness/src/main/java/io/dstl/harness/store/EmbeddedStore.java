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

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobApiMetadata;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStoreContext;

/** An S3 server in this JVM, its objects files of a directory: for machines with nothing else. */
final class EmbeddedStore implements S3Store {
    private final BlobStoreContext files;
    private final S3Proxy server;
    private final URI endpoint;

    EmbeddedStore(Path directory) throws IOException {
        files = openFiles(Files.createDirectories(directory.resolve("objects")));
        Path arriving = Files.createDirectories(directory.resolve("arriving"));
        server =
                S3Proxy.builder()
                        .blobStore(new SteadyListing(files.getBlobStore(), arriving))
                        .endpoint(URI.create("http://127.0.0.1:0"))
                        .awsAuthentication(
                                AuthenticationType.AWS_V2_OR_V4,
                                CREDENTIALS.accessKey(),
                                CREDENTIALS.secretKey())
                        .build();
        try {
            server.start();
        } catch (Exception e) {
            files.close();
            throw new IOException("the embedded S3 server does not start", e);
        }
        endpoint = URI.create("http://127.0.0.1:" + server.getPort());
    }

    @Override
    public URI endpoint() {
        return endpoint;
    }

    @Override
    public String description() {
        return "embedded S3 server";
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the embedded S3 server does not stop", e);
        } finally {
            files.close();
        }
    }

    private static BlobStoreContext openFiles(Path directory) {
        Properties settings = new Properties();
        settings.setProperty("jclouds.filesystem.basedir", directory.toString());
        return ContextBuilder.newBuilder(new FilesystemNio2BlobApiMetadata())
                .credentials(CREDENTIALS.accessKey(), CREDENTIALS.secretKey())
                .overrides(settings)
                .build(BlobStoreContext.class);
    }
}
