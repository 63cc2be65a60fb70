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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobApiMetadata;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;
import org.jclouds.blobstore.domain.Blob;
import org.jclouds.blobstore.domain.MultipartPart;
import org.jclouds.blobstore.domain.MultipartUpload;
import org.jclouds.blobstore.domain.PageSet;
import org.jclouds.blobstore.domain.StorageMetadata;
import org.jclouds.blobstore.options.CopyOptions;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.jclouds.blobstore.options.PutOptions;
import org.jclouds.blobstore.util.ForwardingBlobStore;
import org.jclouds.io.Payload;
import org.jclouds.io.Payloads;

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
                        .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY)
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
                .credentials(ACCESS_KEY, SECRET_KEY)
                .overrides(settings)
                .build(BlobStoreContext.class);
    }

    /**
     * Objects in files that are listed as S3 lists them: all that stays, whatever comes and goes
     * meanwhile. S3Proxy's own listing ends at the first file that goes while it looks, or fails.
     *
     * <p>A listing waits for the changes that have begun, and they for it. The body of a put
     * arrives before: a slow client holds up nobody. Thread-safe.
     */
    static final class SteadyListing extends ForwardingBlobStore {
        private final Path arriving;
        private final ReadWriteLock lock = new ReentrantReadWriteLock();

        /**
         * @param arriving where bodies arrive; outside the directory of the objects
         */
        SteadyListing(BlobStore files, Path arriving) {
            super(files);
            this.arriving = arriving;
        }

        @Override
        public PageSet<? extends StorageMetadata> list(String container) {
            return exclusively(() -> super.list(container));
        }

        @Override
        public PageSet<? extends StorageMetadata> list(
                String container, ListContainerOptions options) {
            return exclusively(() -> super.list(container, options));
        }

        @Override
        public List<MultipartPart> listMultipartUpload(MultipartUpload upload) {
            return exclusively(() -> super.listMultipartUpload(upload));
        }

        @Override
        public List<MultipartUpload> listMultipartUploads(String container) {
            return exclusively(() -> super.listMultipartUploads(container));
        }

        @Override
        public String putBlob(String container, Blob blob) {
            return putBlob(container, blob, PutOptions.NONE);
        }

        @Override
        public String putBlob(String container, Blob blob, PutOptions options) {
            return onceArrived(
                    blob.getPayload(),
                    body -> {
                        blob.setPayload(body);
                        return super.putBlob(container, blob, options);
                    });
        }

        @Override
        public MultipartPart uploadMultipartPart(
                MultipartUpload upload, int number, Payload payload) {
            return onceArrived(payload, body -> super.uploadMultipartPart(upload, number, body));
        }

        @Override
        public String completeMultipartUpload(MultipartUpload upload, List<MultipartPart> parts) {
            return beside(() -> super.completeMultipartUpload(upload, parts));
        }

        @Override
        public void abortMultipartUpload(MultipartUpload upload) {
            beside(
                    () -> {
                        super.abortMultipartUpload(upload);
                        return upload;
                    });
        }

        @Override
        public String copyBlob(
                String from, String fromName, String to, String toName, CopyOptions options) {
            return beside(() -> super.copyBlob(from, fromName, to, toName, options));
        }

        @Override
        public void removeBlob(String container, String name) {
            removeBlobs(container, List.of(name));
        }

        @Override
        public void removeBlobs(String container, Iterable<String> names) {
            beside(
                    () -> {
                        super.removeBlobs(container, names);
                        return names;
                    });
        }

        private <T> T onceArrived(Payload sent, Function<Payload, T> put) {
            try {
                Path file = Files.createTempFile(arriving, "body", null);
                try {
                    try (InputStream body = sent.openStream()) {
                        Files.copy(body, file, StandardCopyOption.REPLACE_EXISTING);
                    }
                    Payload arrived = Payloads.newFilePayload(file.toFile());
                    arrived.setContentMetadata(sent.getContentMetadata());
                    return beside(() -> put.apply(arrived));
                } finally {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("the body of a put does not arrive", e);
            }
        }

        /** A change, beside others, with no listing at the same time. */
        private <T> T beside(Supplier<T> change) {
            return holding(lock.readLock(), change);
        }

        private <T> T exclusively(Supplier<T> listing) {
            return holding(lock.writeLock(), listing);
        }

        private static <T> T holding(Lock held, Supplier<T> work) {
            held.lock();
            try {
                return work.get();
            } finally {
                held.unlock();
            }
        }
    }
}
