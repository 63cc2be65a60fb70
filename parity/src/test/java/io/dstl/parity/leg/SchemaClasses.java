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
package io.dstl.parity.leg;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import javax.tools.ToolProvider;

/** Compiles the classes of a version of the schema job: all versions have them by one name. */
final class SchemaClasses {

    private SchemaClasses() {}

    static Path compile(String version, Path classes) throws IOException {
        Path source = Files.createDirectories(classes).resolve("Account.java");
        String resource = "/io/dstl/parity/schema/Account." + version + ".java.txt";
        try (InputStream in = SchemaClasses.class.getResourceAsStream(resource)) {
            Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
        }
        String[] arguments = {
            "--release", "11", "-proc:none", "-d", classes.toString(), source.toString()
        };
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments);
        if (failed != 0) {
            throw new IllegalStateException("Cannot compile " + resource);
        }
        return classes;
    }
}
