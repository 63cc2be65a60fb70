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

import io.dstl.fs.store.RefusedException;
import io.minio.Xml;
import io.minio.errors.XmlParserException;
import io.minio.messages.DeleteError;
import io.minio.messages.DeleteObject;
import io.minio.messages.DeleteRequest;
import io.minio.messages.DeleteResult;
import io.minio.messages.DeletedObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.Response;
import okio.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects: one by a DELETE, several of a bucket by one POST ({@code DeleteObjects}).
 *
 * <p>Not every store of S3's kind knows the latter. Where one refuses it as a whole, or does not
 * say what became of the objects, they are deleted one by one; if that succeeds where the request
 * for all of them did not, it is not sent any more. That is said once.
 *
 * <p>Does not retry. <b>Threading.</b> Any thread; blocks.
 */
final class S3Deletions {

    /** What S3 takes in one request. */
    static final int MAX_BATCH = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(S3Deletions.class);

    private static final int NOT_IMPLEMENTED = 501;

    private final S3Client client;

    /** The store does not know the request for several. */
    private final AtomicBoolean oneByOne = new AtomicBoolean();

    S3Deletions(S3Client client) {
        this.client = client;
    }

    /** How many objects {@link #deleteAll} deletes with one request: 1 where the store can't. */
    int batchSize() {
        return oneByOne.get() ? 1 : MAX_BATCH;
    }

    /** Deleting an object that is gone is no failure. */
    void delete(S3Object object) throws IOException {
        try (Response answer = send(() -> client.delete(object), object)) {
            if (!answer.isSuccessful()) {
                throw S3Failures.of("delete", object, answer);
            }
        } catch (FileNotFoundException e) {
            LOG.trace("{} is gone already", object, e);
        }
    }

    /**
     * Deletes several, of one bucket.
     *
     * @param objects at least one, at most {@link #MAX_BATCH}
     * @return what those failed with that are, or may be, still there
     */
    Map<S3Object, IOException> deleteAll(List<S3Object> objects) {
        if (oneByOne.get()) {
            return deleteEach(objects);
        }
        try {
            return failures(objects, request(objects));
        } catch (NotUnderstoodException e) {
            return deleteEachInstead(objects, e);
        } catch (IOException e) {
            return ofEach(objects, e);
        }
    }

    private static Map<S3Object, IOException> ofEach(List<S3Object> objects, IOException failure) {
        Map<S3Object, IOException> failures = new HashMap<>();
        objects.forEach(object -> failures.put(object, failure));
        return failures;
    }

    private DeleteResult request(List<S3Object> objects) throws IOException {
        S3Object first = objects.get(0);
        ByteString list = list(objects);
        try (Response answer = send(() -> client.deleteAll(first.bucket(), list), first)) {
            if (answer.isSuccessful()) {
                // Received before it is parsed: what breaks off on its way is no other answer.
                return Xml.unmarshal(DeleteResult.class, answer.body().string());
            }
            String operation =
                    String.format(Locale.ROOT, "delete %d objects, the first", objects.size());
            IOException failure = S3Failures.of(operation, first, answer);
            if (isRefusedAsAWhole(answer, failure)) {
                throw new NotUnderstoodException(failure.getMessage(), failure);
            }
            throw failure;
        } catch (XmlParserException e) {
            throw new NotUnderstoodException("the answer is not that of DeleteObjects", e);
        }
    }

    private static boolean isRefusedAsAWhole(Response answer, IOException failure) {
        return failure instanceof RefusedException
                || failure instanceof FileNotFoundException
                || answer.code() == NOT_IMPLEMENTED;
    }

    /** Asks for an answer about each object, not only about failures. */
    private static ByteString list(List<S3Object> objects) throws IOException {
        List<DeleteObject> keys =
                objects.stream()
                        .map(object -> new DeleteObject(object.key()))
                        .collect(Collectors.toList());
        try {
            return ByteString.encodeUtf8(Xml.marshal(new DeleteRequest(keys, false)));
        } catch (XmlParserException e) {
            throw new NotUnderstoodException("the names can't be written as XML", e);
        }
    }

    /**
     * What an answer doesn't name is taken to be there still.
     *
     * @throws NotUnderstoodException if it names none
     */
    private static Map<S3Object, IOException> failures(List<S3Object> objects, DeleteResult answer)
            throws NotUnderstoodException {
        Set<String> deleted =
                answer.objectList().stream().map(DeletedObject::name).collect(Collectors.toSet());
        Map<String, DeleteError> errors = new HashMap<>();
        answer.errorList().forEach(error -> errors.put(error.objectName(), error));
        if (deleted.isEmpty() && errors.isEmpty()) {
            throw new NotUnderstoodException("the answer names none of the objects", null);
        }
        Map<S3Object, IOException> failures = new HashMap<>();
        for (S3Object object : objects) {
            if (!deleted.contains(object.key())) {
                failure(object, Optional.ofNullable(errors.get(object.key())))
                        .ifPresent(failure -> failures.put(object, failure));
            }
        }
        return failures;
    }

    private static Optional<IOException> failure(S3Object object, Optional<DeleteError> error) {
        if (!error.isPresent()) {
            return Optional.of(new IOException("S3 did not say whether it deleted " + object));
        }
        IOException failure = S3Failures.ofPart("delete", object, error.get());
        return failure instanceof FileNotFoundException ? Optional.empty() : Optional.of(failure);
    }

    private Map<S3Object, IOException> deleteEach(List<S3Object> objects) {
        Map<S3Object, IOException> failures = new HashMap<>();
        for (S3Object object : objects) {
            try {
                delete(object);
            } catch (IOException e) {
                failures.put(object, e);
            }
        }
        return failures;
    }

    /** A store that refuses the first of them as well is not asked for each of the others. */
    private Map<S3Object, IOException> deleteEachInstead(
            List<S3Object> objects, NotUnderstoodException reason) {
        try {
            delete(objects.get(0));
        } catch (IOException e) {
            e.addSuppressed(reason);
            return ofEach(objects, e);
        }
        if (oneByOne.compareAndSet(false, true)) {
            LOG.info(
                    "The store does not delete several objects with one request, so each takes one"
                            + " of its own: {}",
                    reason.getMessage());
        }
        return deleteEach(objects.subList(1, objects.size()));
    }

    /** Once more where the answer tells the region that the bucket is in. */
    private Response send(Request request, S3Object object) throws IOException {
        Response answer = request.call().execute();
        if (client.learnsRegion(object, answer)) {
            answer.close();
            return request.call().execute();
        }
        return answer;
    }

    private interface Request {
        Call call() throws IOException;
    }

    /** The store has deleted none of several objects, as it does not know the request. */
    private static final class NotUnderstoodException extends IOException {

        private static final long serialVersionUID = 1L;

        private NotUnderstoodException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
