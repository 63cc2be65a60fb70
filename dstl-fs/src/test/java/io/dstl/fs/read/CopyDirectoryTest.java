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
package io.dstl.fs.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.PathsBelow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who can read local copies, and who deletes them when their process can't. */
class CopyDirectoryTest {

    @TempDir Path parent;

    private CopyDirectory directory() {
        return new CopyDirectory(parent, () -> "here", Runnable::run);
    }

    private static Path written(CopyDirectory directory) throws IOException {
        Path file = directory.newFile();
        CopyDirectory.open(file, EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE))
                .close();
        return file;
    }

    @Test
    void isReadByItsOwnerOnly() throws Exception {
        Path copy = written(directory());

        assertThat(permissions(copy)).isEqualTo("rw-------");
        assertThat(permissions(copy.getParent())).isEqualTo("rwx------");
        assertThat(permissions(lockOf(copy.getParent()))).isEqualTo("rw-------");
    }

    /** Where somebody has tidied up the temporary directory. */
    @Test
    void isMadeAgainForItsOwnerOnly() throws Exception {
        Path copy = written(directory());
        Files.delete(copy);
        Files.delete(copy.getParent());

        CopyDirectory.open(copy, EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE))
                .close();

        assertThat(permissions(copy)).isEqualTo("rw-------");
        assertThat(permissions(copy.getParent())).isEqualTo("rwx------");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static Path lockOf(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ".lock");
    }

    @Test
    void goesWithItsLockOnceItIsEmpty() throws Exception {
        CopyDirectory directory = directory();
        Path copy = written(directory);
        directory.deleteIfEmpty();
        assertThat(copy).exists();

        Files.delete(copy);
        directory.deleteIfEmpty();
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void isOfOneCacheOnly() throws Exception {
        Path one = written(directory());
        Path other = written(directory());

        assertThat(other.getParent()).isNotEqualTo(one.getParent());
        assertThat(one).exists();
    }

    /** A process of its own: a lock says nothing to the process that holds it. */
    @Test
    void whatAProcessLeavesIsDeletedOnceItIsDead() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Other.class.getName(),
                                parent.toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        Path left;
        try {
            left =
                    Path.of(
                            new BufferedReader(
                                            new InputStreamReader(
                                                    process.getInputStream(),
                                                    StandardCharsets.UTF_8))
                                    .readLine());
            written(directory());
            assertThat(left).as("copy of a process that lives").exists();
        } finally {
            process.destroyForcibly().waitFor();
        }
        Path own = written(directory());

        assertThat(PathsBelow.files(parent)).doesNotContain(left).contains(own);
        assertThat(left.getParent()).doesNotExist();
        assertThat(lockOf(left.getParent())).doesNotExist();
    }

    /** Makes a copy and waits to be killed. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(
                    written(
                            new CopyDirectory(
                                    Path.of(arguments[0]), () -> "there", Runnable::run)));
            System.in.read();
        }
    }

    @Test
    void whatIsNotOursStays() throws Exception {
        Path elsewhere = Files.createDirectories(parent.resolve("elsewhere"));
        Files.createFile(elsewhere.resolve("dstl-segment-1"));
        Files.createSymbolicLink(parent.resolve("dstl-copies-linked-1"), elsewhere);
        Files.createFile(parent.resolve("dstl-copies-linked-1.lock"));
        Path unlocked = Files.createDirectories(parent.resolve("dstl-copies-without-lock-1"));
        Files.createFile(unlocked.resolve("dstl-segment-1"));
        Path others = Files.createDirectories(parent.resolve("dstl-copies-with-more-1"));
        Files.createFile(others.resolve("notes.txt"));
        Files.createFile(parent.resolve("dstl-copies-with-more-1.lock"));
        written(directory());

        assertThat(elsewhere.resolve("dstl-segment-1")).exists();
        assertThat(unlocked.resolve("dstl-segment-1")).exists();
        assertThat(others.resolve("notes.txt")).exists();
    }
}
