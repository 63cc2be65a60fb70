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
package io.dstl.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A class that was compiled with one version of a library, beside another version of it. */
class LinkageTest {

    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

    /** One for all: what it knows of the JDK takes longer to read than these classes to compile. */
    private static final StandardJavaFileManager FILES =
            JAVAC.getStandardFileManager(null, null, null);

    @TempDir private Path directory;

    private String newer;
    private String older;

    @Test
    void allIsThere() throws IOException {
        newer = "public class A { public int m(long a) { return 0; } }";
        older = newer;

        assertThat(problems("class U { int u() { return new A().m(1) + hashCode(); } }")).isEmpty();
    }

    @Test
    void aClassIsMissing() throws IOException {
        newer = "public interface A {}";
        older = "public interface Other {}";

        assertThat(problems("class U { void u(A a) {} }")).containsExactly("lib.A is missing");
        assertThat(problems("class U { boolean u(Object a) { return a instanceof A; } }"))
                .containsExactly("lib.A is missing");
        assertThat(problems("class U { Object u() { return A[].class; } }"))
                .containsExactly("lib.A is missing");
    }

    @Test
    void aMethodIsMissing() throws IOException {
        newer = "public class A { public static void m(long[] a) {} }";
        older = "public class A { public static void m(Long[] a) {} }";

        assertThat(problems("class U { void u() { A.m(null); } }"))
                .containsExactly("void lib.A.m(long[]) is missing");
        assertThat(problems("class U { java.util.function.Consumer<long[]> u = A::m; }"))
                .containsExactly("void lib.A.m(long[]) is missing");
    }

    @Test
    void aMethodReturnsAnotherType() throws IOException {
        newer = "public class A { public String m() { return null; } }";
        older = "public class A { public Object m() { return null; } }";

        assertThat(problems("class U { Object u(A a) { return a.m(); } }"))
                .containsExactly("java.lang.String lib.A.m() is missing");
    }

    @Test
    void anInheritedMethodIsMissing() throws IOException {
        newer = "public class A { protected void m() {} public int f; }";
        older = "public class A {}";

        assertThat(problems("class U extends A { int u() { m(); return f; } }"))
                .containsExactly("int our.U.f is missing", "void our.U.m() is missing");
    }

    @Test
    void aMethodHasMovedToASuperType() throws IOException {
        newer = "public interface A extends B { void m(); } interface B {}";
        older = "public interface A extends B {} interface B { void m(); }";

        assertThat(problems("class U { void u(A a) { a.m(); } }")).isEmpty();
    }

    @Test
    void aMethodIsNotToBeReached() throws IOException {
        newer = "public class A { public void m() {} protected void p() {} }";
        older = "public class A { void m() {} protected void p() {} }";

        assertThat(problems("class U extends A { void u() { super.m(); super.p(); } }"))
                .containsExactly("void lib.A.m() is not accessible");
    }

    @Test
    void aClassOfTheSamePackageReachesWhatIsNotPublic() throws IOException {
        newer = "class A { void m() {} int f; }";
        older = "class A { private void m() {} int f; }";

        assertThat(problems("lib", "class U { int u(A a) { a.m(); return a.f; } }"))
                .containsExactly("void lib.A.m() is not accessible");
    }

    @Test
    void aClassIsNotPublic() throws IOException {
        newer = "public class A { public static int f; }";
        older = "class A { public static int f; }";

        assertThat(problems("class U { int u() { return A.f; } }"))
                .containsExactly("lib.A is not public");
    }

    @Test
    void aFieldIsOfAnInstance() throws IOException {
        newer = "public class A { public static int f; }";
        older = "public class A { public int f; }";

        assertThat(problems("class U { int u() { return A.f; } }"))
                .containsExactly("int lib.A.f is not static");
    }

    @Test
    void aClassWasAnInterface() throws IOException {
        newer = "public abstract class A { public abstract void m(); }";
        older = "public interface A { void m(); }";

        assertThat(problems("class U { void u(A a) { a.m(); } }"))
                .containsExactly("lib.A is an interface");
    }

    @Test
    void aMethodHasNoImplementation() throws IOException {
        newer = "public interface A extends B { default void m() {} } interface B { void m(); }";
        older = "public interface A extends B {} interface B { void m(); }";

        assertThat(problems("class U implements A {}"))
                .containsExactly("void lib.B.m() is abstract: it is not implemented");
        assertThat(problems("abstract class U implements A {}")).isEmpty();
        assertThat(problems("class U implements A { public void m() {} }")).isEmpty();
    }

    @Test
    void whatAnInterfaceImplementsAgainIsImplemented() throws IOException {
        newer = "public interface A extends B { default void m() {} } interface B { void m(); }";
        older =
                "public interface A extends C, B {} interface C extends B { default void m() {} }"
                        + " interface B { void m(); }";

        assertThat(problems("class U implements A {}")).isEmpty();
    }

    @Test
    void aCallToSuperHasNoImplementation() throws IOException {
        newer = "public abstract class A { public void m() {} }";
        older = "public abstract class A { public abstract void m(); }";

        assertThat(problems("class U extends A { public void m() { super.m(); } }"))
                .containsExactly("void lib.A.m() is abstract: a call to super fails");
    }

    @Test
    void aLambdaImplementsOneMethodOnly() throws IOException {
        newer =
                "public interface A { void m(); default int n() { return 0; } boolean equals(Object o); }";
        older = "public interface A { void m(); int n(); boolean equals(Object o); }";

        assertThat(problems("class U { A u = () -> {}; }"))
                .containsExactly("int lib.A.n() is abstract: a lambda does not implement it");
    }

    private Set<String> problems(String user) throws IOException {
        return problems("our", user);
    }

    /** Of the class U of this package, compiled with the newer library and run with the older. */
    private Set<String> problems(String inPackage, String user) throws IOException {
        Path compiledWith = Files.createTempDirectory(directory, "newer");
        Path runWith = Files.createTempDirectory(directory, "older");
        compile(compiledWith, "package lib; " + newer);
        compile(runWith, "package lib; " + older);
        Path ours = Files.createTempDirectory(directory, "ours");
        String imports = inPackage.equals("lib") ? "" : "import lib.*; ";
        compile(ours, "package " + inPackage + "; " + imports + user, compiledWith);
        List<URL> jars = List.of(ours.toUri().toURL(), runWith.toUri().toURL());
        String name = inPackage + "/U";
        try (ClassPool pool = new ClassPool(jars)) {
            return Linkage.problems(pool, name::equals, name);
        }
    }

    private static void compile(Path target, String source, Path... classPath) throws IOException {
        FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(target));
        FILES.setLocationFromPaths(StandardLocation.CLASS_PATH, List.of(classPath));
        List<Source> sources = List.of(new Source(source));
        assertThat(JAVAC.getTask(null, FILES, null, List.of("-proc:none"), null, sources).call())
                .as(source)
                .isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Source.java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        /** The file is named after nothing in it. */
        @Override
        public boolean isNameCompatible(String simpleName, JavaFileObject.Kind kind) {
            return kind == JavaFileObject.Kind.SOURCE;
        }
    }
}
