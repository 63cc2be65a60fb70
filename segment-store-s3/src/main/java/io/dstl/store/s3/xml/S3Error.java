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
package io.dstl.store.s3.xml;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/** The error of a store or of an AWS service, in its own words. Immutable. */
public final class S3Error {

    private static final Pattern BEGIN = Pattern.compile("\\s*(<\\?xml[^>]*\\?>)?\\s*<Error[\\s>]");

    private final String code;
    private final String message;

    private S3Error(String code, String message) {
        this.code = code;
        this.message = message;
    }

    /** Reads the elements {@code Code} and {@code Message}; either may be missing. */
    public static S3Error of(XmlElement error) {
        return new S3Error(error.childText("Code").trim(), error.childText("Message").trim());
    }

    /**
     * @param text of an answer other than success: XML whose outer element is or contains the error
     * @return empty if the text is no such XML
     */
    public static Optional<S3Error> parse(String text) {
        try {
            XmlElement root = XmlElement.parse(text.trim());
            return Optional.of(of(root.child("Error").orElse(root)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * @param text of an answer with status 200
     * @return empty if it is no error
     */
    public static Optional<S3Error> in(String text) {
        return BEGIN.matcher(text).lookingAt() ? parse(text) : Optional.empty();
    }

    /** Such as {@code SlowDown}; empty if the error has none. */
    public String code() {
        return code;
    }

    /** Empty if the error has none. */
    public String message() {
        return message;
    }

    /** The code, and the message if there is one. */
    @Override
    public String toString() {
        return message.isEmpty() ? code : code + ", " + message;
    }
}
