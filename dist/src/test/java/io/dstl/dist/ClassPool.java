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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The classes that meet in one JVM: those of some jars, and under them the JDK and the libraries
 * that Flink brings. A class of Flink comes from the jars only, so that another version on the
 * class path of this JVM is not taken for it.
 *
 * <p>Owns how a member is found among super classes and interfaces (JVMS 5.4.3); loads and runs
 * nothing. Names are internal ones, with slashes. Not safe for use by several threads.
 */
final class ClassPool implements AutoCloseable {

    private static final String FLINK = "org/apache/flink/";

    private final URLClassLoader jars;
    private final Map<String, Optional<ClassNode>> classes = new HashMap<>();

    /**
     * @param jars jars, or folders of class files
     */
    ClassPool(List<URL> jars) {
        this.jars =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /** A class without its code, or empty if there is none of this name. */
    Optional<ClassNode> find(String name) {
        return classes.computeIfAbsent(name, type -> read(type, ClassReader.SKIP_CODE));
    }

    ClassNode withCode(String name) {
        return read(name, 0).orElseThrow();
    }

    private Optional<ClassNode> read(String name, int options) {
        String file = name + ".class";
        try (InputStream in = open(name, file)) {
            if (in == null) {
                return Optional.empty();
            }
            ClassNode node = new ClassNode();
            new ClassReader(in).accept(node, ClassReader.SKIP_DEBUG | options);
            return Optional.of(node);
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    private InputStream open(String name, String file) {
        InputStream in = jars.getResourceAsStream(file);
        return in != null || name.startsWith(FLINK)
                ? in
                : ClassPool.class.getClassLoader().getResourceAsStream(file);
    }

    /** The field that an instruction with this owner reaches. */
    Optional<Member> field(ClassNode owner, String name, String descriptor) {
        return hierarchy(owner).stream()
                .flatMap(type -> type.fields.stream().map(field -> new Member(type, field)))
                .filter(field -> field.is(name, descriptor))
                .findFirst();
    }

    /** The method that an instruction with this owner reaches. */
    Optional<Member> method(ClassNode owner, String name, String descriptor) {
        return methods(owner).stream().filter(method -> method.is(name, descriptor)).findFirst();
    }

    /**
     * All methods that a class declares and inherits: of two with one name and descriptor, the one
     * that the JVM selects comes first.
     */
    List<Member> methods(ClassNode owner) {
        List<Member> methods = new ArrayList<>();
        for (ClassNode type : hierarchy(owner)) {
            type.methods.forEach(method -> methods.add(new Member(type, method)));
        }
        return methods;
    }

    boolean isSubclass(ClassNode type, ClassNode of) {
        return superClasses(type).stream().anyMatch(above -> above.name.equals(of.name));
    }

    /**
     * The class, its super classes from the nearest to Object, then all interfaces, each before
     * those that it extends. What is missing is left out.
     */
    private List<ClassNode> hierarchy(ClassNode type) {
        List<ClassNode> classes = superClasses(type);
        List<ClassNode> interfaces = new ArrayList<>();
        List<String> open = new ArrayList<>();
        classes.forEach(above -> open.addAll(above.interfaces));
        while (!open.isEmpty()) {
            Optional<ClassNode> next = find(open.remove(0));
            next.ifPresent(interfaces::add);
            next.ifPresent(node -> open.addAll(node.interfaces));
        }
        List<ClassNode> all = new ArrayList<>(classes);
        // One that another extends has its place after that one, however it was reached first.
        for (int i = 0; i < interfaces.size(); i++) {
            if (interfaces.lastIndexOf(interfaces.get(i)) == i) {
                all.add(interfaces.get(i));
            }
        }
        return all;
    }

    private List<ClassNode> superClasses(ClassNode type) {
        List<ClassNode> classes = new ArrayList<>();
        Optional<ClassNode> next = Optional.of(type);
        while (next.isPresent()) {
            classes.add(next.get());
            next = Optional.ofNullable(next.get().superName).flatMap(this::find);
        }
        return classes;
    }

    @Override
    public void close() throws IOException {
        jars.close();
    }

    /** A field or method, and the class that declares it. */
    static final class Member {
        private final ClassNode declarer;
        private final int access;
        private final String name;
        private final String descriptor;

        private Member(ClassNode declarer, FieldNode field) {
            this.declarer = declarer;
            this.access = field.access;
            this.name = field.name;
            this.descriptor = field.desc;
        }

        private Member(ClassNode declarer, MethodNode method) {
            this.declarer = declarer;
            this.access = method.access;
            this.name = method.name;
            this.descriptor = method.desc;
        }

        ClassNode declarer() {
            return declarer;
        }

        String name() {
            return name;
        }

        String descriptor() {
            return descriptor;
        }

        boolean is(String wantedName, String wantedDescriptor) {
            return name.equals(wantedName) && descriptor.equals(wantedDescriptor);
        }

        /** Whether it has this modifier, one of {@link Opcodes}. */
        boolean has(int modifier) {
            return (access & modifier) != 0;
        }
    }
}
