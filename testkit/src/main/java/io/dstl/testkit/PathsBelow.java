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
package io.dstl.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * What is below a directory while others delete some of it, which Files.walk fails at. The
 * directory itself must be there.
 */
public final class PathsBelow {

    private PathsBelow() {}

    /** The regular files at any depth. */
    public static List<Path> files(Path directory) throws IOException {
        return walk(directory).files;
    }

    /** The directories at any depth, the given one among them. */
    public static List<Path> directories(Path directory) throws IOException {
        return walk(directory).directories;
    }

    private static Visitor walk(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        Visitor visitor = new Visitor();
        Files.walkFileTree(directory, visitor);
        return visitor;
    }

    private static final class Visitor extends SimpleFileVisitor<Path> {
        private final List<Path> files = new ArrayList<>();
        private final List<Path> directories = new ArrayList<>();

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            directories.add(directory);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                files.add(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
            return unlessGone(failure);
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                throws IOException {
            return unlessGone(failure);
        }

        private static FileVisitResult unlessGone(IOException failure) throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
                throw failure;
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
