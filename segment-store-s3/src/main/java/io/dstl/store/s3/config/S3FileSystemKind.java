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
package io.dstl.store.s3.config;

import java.util.List;
import java.util.Optional;

/** Flink's S3 file systems, each with the prefixes of the keys that configure it. */
public enum S3FileSystemKind {
    PRESTO,
    HADOOP,
    /** Flink's own since 2.3, on the AWS SDK alone. */
    NATIVE;

    private static final String FLINKS = "org.apache.flink.fs.s3";
    private static final String PRESTOS = "org.apache.flink.fs.s3presto";
    private static final String NATIVES = "org.apache.flink.fs.s3native";

    /**
     * By its class: a class from elsewhere is configured elsewhere, too.
     *
     * @param name of the class
     */
    public static Optional<S3FileSystemKind> of(String name) {
        if (!name.startsWith(FLINKS)) {
            return Optional.empty();
        }
        if (name.startsWith(NATIVES)) {
            return Optional.of(NATIVE);
        }
        return Optional.of(name.startsWith(PRESTOS) ? PRESTO : HADOOP);
    }

    /** Whether Hadoop's configuration hands it the values, with variables in them replaced. */
    boolean replacesVariables() {
        return this != NATIVE;
    }

    List<String> prefixes() {
        switch (this) {
            case PRESTO:
                return List.of("s3.", "presto.s3.");
            case HADOOP:
                return List.of("s3.", "s3a.", "fs.s3a.");
            case NATIVE:
                return List.of("s3.", "fs.s3.");
        }
        throw new AssertionError(this);
    }
}
