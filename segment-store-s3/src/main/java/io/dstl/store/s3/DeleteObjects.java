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

import io.dstl.store.RefusedException;
import io.dstl.store.ThrottledException;
import io.dstl.store.s3.xml.S3Error;
import io.dstl.store.s3.xml.XmlElement;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import okhttp3.Response;
import okio.BufferedSource;
import okio.ByteString;

/** S3's request {@code DeleteObjects}: its body, and the meaning of its answer. */
final class DeleteObjects {

    /** Error codes of a store that does not know the request, beside the status 501 and 405. */
    private static final Set<String> UNKNOWN =
            Set.of("NotImplemented", "MethodNotAllowed", "MalformedXML");

    /** More than S3 answers for the most objects that one request may name. */
    private static final long MAX_ANSWER_BYTES = 16L << 20;

    private DeleteObjects() {}

    /** Asks for an answer about each object, not only about failures. */
    static ByteString list(List<S3Object> objects) throws IOException {
        StringBuilder list = new StringBuilder();
        list.append("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        list.append("<Quiet>false</Quiet>");
        for (S3Object object : objects) {
            list.append("<Object><Key>");
            appendEscaped(object.key(), list);
            list.append("</Key></Object>");
        }
        return ByteString.encodeUtf8(list.append("</Delete>").toString());
    }

    /** Escapes line breaks too: XML parsers normalize raw ones. */
    private static void appendEscaped(String key, StringBuilder xml) throws NotCarriedOutException {
        for (int i = 0; i < key.length(); ) {
            int c = key.codePointAt(i);
            i += Character.charCount(c);
            if (!isXml(c)) {
                throw new NotCarriedOutException(false, "the names can't be written as XML", null);
            }
            if (c < ' ' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'') {
                xml.append("&#").append(c).append(';');
            } else {
                xml.appendCodePoint(c);
            }
        }
    }

    /** Whether XML 1.0 allows the character. */
    private static boolean isXml(int c) {
        return c == '\t'
                || c == '\n'
                || c == '\r'
                || (c >= ' ' && c < Character.MIN_SURROGATE)
                || (c > Character.MAX_SURROGATE && c < 0xfffe)
                || c > 0xffff;
    }

    /**
     * Reads the answer's body; closes nothing.
     *
     * @return failures of objects that are, or may be, still there
     * @throws NotCarriedOutException if they should be deleted one by one
     * @throws IOException if the request has failed for all of them
     */
    static Map<S3Object, IOException> failures(List<S3Object> objects, Response answer)
            throws IOException {
        if (!answer.isSuccessful()) {
            throw failure(objects, answer, S3Failures.error(answer));
        }
        // Received before it is parsed, so that a broken-off answer is not taken for another.
        String text = text(answer);
        Optional<S3Error> error = S3Error.in(text);
        if (error.isPresent()) {
            throw failure(objects, answer, error);
        }
        return failures(objects, result(text));
    }

    private static String text(Response answer) throws IOException {
        BufferedSource body = answer.body().source();
        if (body.request(MAX_ANSWER_BYTES + 1)) {
            throw new NotCarriedOutException(
                    false, "the answer is longer than " + MAX_ANSWER_BYTES + " bytes", null);
        }
        return body.readUtf8();
    }

    private static IOException failure(
            List<S3Object> objects, Response answer, Optional<S3Error> error) {
        IOException failure = S3Failures.of(operation(objects), objects.get(0), answer, error);
        if (answer.code() == 501
                || answer.code() == 405
                || error.map(S3Error::code).filter(UNKNOWN::contains).isPresent()) {
            return new NotCarriedOutException(true, failure.getMessage(), failure);
        }
        // A 404 may be the answer of a store, or of something before it, that knows no such
        // request.
        return failure instanceof RefusedException || answer.code() == 404
                ? new NotCarriedOutException(false, failure.getMessage(), failure)
                : failure;
    }

    /** For messages, before the name of the first object. */
    static String operation(List<S3Object> objects) {
        return String.format(Locale.ROOT, "delete %d objects, the first", objects.size());
    }

    private static XmlElement result(String text) throws NotCarriedOutException {
        try {
            return XmlElement.parse(text.trim());
        } catch (IOException e) {
            throw new NotCarriedOutException(false, "the answer is not that of DeleteObjects", e);
        }
    }

    /**
     * Objects that the answer does not name may still be there. Those throttled, or refused for one
     * reason, failed together: a thousand without permission need no thousand requests.
     *
     * @throws NotCarriedOutException if it names none
     */
    private static Map<S3Object, IOException> failures(List<S3Object> objects, XmlElement answer)
            throws NotCarriedOutException {
        Set<String> deleted =
                answer.all("Deleted").stream()
                        .map(part -> part.childText("Key"))
                        .collect(Collectors.toSet());
        Map<String, S3Error> errors = new HashMap<>();
        for (XmlElement error : answer.all("Error")) {
            errors.put(error.childText("Key"), S3Error.of(error));
        }
        if (deleted.isEmpty() && errors.isEmpty()) {
            throw new NotCarriedOutException(false, "the answer names none of the objects", null);
        }
        Map<S3Object, IOException> failures = new HashMap<>();
        Map<String, IOException> shared = new HashMap<>();
        for (S3Object object : objects) {
            if (deleted.contains(object.key())) {
                continue;
            }
            IOException failure = failure(object, Optional.ofNullable(errors.get(object.key())));
            if (failure instanceof ThrottledException || failure instanceof RefusedException) {
                String code = errors.get(object.key()).code();
                failures.put(object, shared.computeIfAbsent(code, first -> failure));
            } else if (!(failure instanceof FileNotFoundException)) {
                failures.put(object, failure);
            }
        }
        return failures;
    }

    private static IOException failure(S3Object object, Optional<S3Error> error) {
        return error.map(part -> S3Failures.ofPart("delete", object, part))
                .orElseGet(() -> new IOException("S3 did not say whether it deleted " + object));
    }

    /** The store has deleted none of the objects, as far as its answer tells. */
    static final class NotCarriedOutException extends IOException {

        private static final long serialVersionUID = 1L;

        private final boolean unknown;

        private NotCarriedOutException(boolean unknown, String message, Throwable cause) {
            super(message, cause);
            this.unknown = unknown;
        }

        /** Whether the store does not know the request. */
        boolean isUnknown() {
            return unknown;
        }
    }
}
