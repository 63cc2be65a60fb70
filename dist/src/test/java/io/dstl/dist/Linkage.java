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

import static java.util.stream.Collectors.toList;

import io.dstl.dist.ClassPool.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * What one of our classes needs of the others in the pool, and whether it is there: each class that
 * it names, each field and method that its code reaches, also those that one of ours inherits, and
 * an implementation of each method that is abstract above it. A use that would fail at run time is
 * a problem, told by the member's name.
 *
 * <p>The compiler has seen our own classes fit together: only what others declare is looked at.
 */
final class Linkage {

    private static final String LAMBDAS = "java/lang/invoke/LambdaMetafactory";

    private final ClassPool pool;
    private final Predicate<String> ours;
    private final ClassNode user;
    private final Set<String> problems = new TreeSet<>();

    private Linkage(ClassPool pool, Predicate<String> ours, ClassNode user) {
        this.pool = pool;
        this.ours = ours;
        this.user = user;
    }

    /**
     * @param user the internal name of the class to look at
     * @param ours tells the internal names of the classes that were compiled together
     */
    static Set<String> problems(ClassPool pool, Predicate<String> ours, String user) {
        Linkage linkage = new Linkage(pool, ours, pool.withCode(user));
        linkage.checkDeclarations();
        linkage.user.methods.forEach(linkage::checkCode);
        if ((linkage.user.access & Opcodes.ACC_ABSTRACT) == 0) {
            linkage.checkImplementations();
        }
        return linkage.problems;
    }

    private void checkDeclarations() {
        if (user.superName != null) {
            checkClass(user.superName);
        }
        user.interfaces.forEach(this::checkClass);
        for (FieldNode field : user.fields) {
            checkTypes(Type.getType(field.desc));
        }
        for (MethodNode method : user.methods) {
            checkTypes(Type.getMethodType(method.desc));
            method.exceptions.forEach(this::checkClass);
        }
    }

    private void checkCode(MethodNode method) {
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            if (block.type != null) {
                checkClass(block.type);
            }
        }
        for (AbstractInsnNode instruction : method.instructions) {
            checkInstruction(instruction);
        }
    }

    private void checkInstruction(AbstractInsnNode instruction) {
        if (instruction instanceof FieldInsnNode) {
            FieldInsnNode use = (FieldInsnNode) instruction;
            boolean isStatic =
                    use.getOpcode() == Opcodes.GETSTATIC || use.getOpcode() == Opcodes.PUTSTATIC;
            checkField(use.owner, use.name, use.desc, isStatic);
        } else if (instruction instanceof MethodInsnNode) {
            MethodInsnNode call = (MethodInsnNode) instruction;
            checkMethod(
                    new Handle(tag(call.getOpcode()), call.owner, call.name, call.desc, call.itf));
        } else if (instruction instanceof InvokeDynamicInsnNode) {
            checkDynamic((InvokeDynamicInsnNode) instruction);
        } else if (instruction instanceof TypeInsnNode) {
            checkClass(((TypeInsnNode) instruction).desc);
        } else if (instruction instanceof MultiANewArrayInsnNode) {
            checkTypes(Type.getType(((MultiANewArrayInsnNode) instruction).desc));
        } else if (instruction instanceof LdcInsnNode) {
            checkConstant(((LdcInsnNode) instruction).cst);
        } else if (instruction instanceof FrameNode) {
            checkFrame((FrameNode) instruction);
        }
    }

    private static int tag(int opcode) {
        switch (opcode) {
            case Opcodes.INVOKESTATIC:
                return Opcodes.H_INVOKESTATIC;
            case Opcodes.INVOKESPECIAL:
                return Opcodes.H_INVOKESPECIAL;
            default:
                return Opcodes.H_INVOKEVIRTUAL;
        }
    }

    private void checkConstant(Object constant) {
        if (constant instanceof Type) {
            checkTypes((Type) constant);
        } else if (constant instanceof Handle) {
            Handle handle = (Handle) constant;
            if (handle.getTag() < Opcodes.H_INVOKEVIRTUAL) {
                boolean isStatic =
                        handle.getTag() == Opcodes.H_GETSTATIC
                                || handle.getTag() == Opcodes.H_PUTSTATIC;
                checkField(handle.getOwner(), handle.getName(), handle.getDesc(), isStatic);
            } else {
                checkMethod(handle);
            }
        }
    }

    /** What the verifier holds the code's locals and stack to. */
    private void checkFrame(FrameNode frame) {
        List<Object> types = new ArrayList<>();
        Optional.ofNullable(frame.local).ifPresent(types::addAll);
        Optional.ofNullable(frame.stack).ifPresent(types::addAll);
        for (Object type : types) {
            if (type instanceof String) {
                checkClass((String) type);
            }
        }
    }

    private void checkDynamic(InvokeDynamicInsnNode call) {
        checkTypes(Type.getMethodType(call.desc));
        for (Object argument : call.bsmArgs) {
            checkConstant(argument);
        }
        if (call.bsm.getOwner().equals(LAMBDAS)) {
            String type = Type.getReturnType(call.desc).getInternalName();
            pool.find(type).ifPresent(functional -> checkFunctional(functional, call.name));
        }
    }

    /** A lambda implements one method: there must be no other. */
    private void checkFunctional(ClassNode functional, String implemented) {
        for (Member method : unimplemented(functional)) {
            if (!method.name().equals(implemented)) {
                problems.add(text(method) + " is abstract: a lambda does not implement it");
            }
        }
    }

    private void checkImplementations() {
        for (Member method : unimplemented(user)) {
            if (!isOurs(method)) {
                problems.add(text(method) + " is abstract: it is not implemented");
            }
        }
    }

    private List<Member> unimplemented(ClassNode type) {
        Set<String> selected = new HashSet<>();
        if ((type.access & Opcodes.ACC_INTERFACE) != 0) {
            // Whatever implements it has these.
            pool.find("java/lang/Object").orElseThrow().methods.stream()
                    .map(method -> method.name + method.desc)
                    .forEach(selected::add);
        }
        return pool.methods(type).stream()
                .filter(method -> !method.has(Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE))
                .filter(method -> selected.add(method.name() + method.descriptor()))
                .filter(method -> method.has(Opcodes.ACC_ABSTRACT))
                .collect(toList());
    }

    /** An internal name of a class, or the descriptor of an array. */
    private Optional<ClassNode> checkClass(String name) {
        if (name.startsWith("[")) {
            checkTypes(Type.getType(name));
            return Optional.empty();
        }
        Optional<ClassNode> type = pool.find(name);
        if (type.isEmpty()) {
            problems.add(dotted(name) + " is missing");
        } else if (!ours.test(name)
                && (type.get().access & Opcodes.ACC_PUBLIC) == 0
                && !isSamePackage(name)) {
            problems.add(dotted(name) + " is not public");
        }
        return type;
    }

    /** That the types of a descriptor are there; they need not be accessible. */
    private void checkTypes(Type type) {
        if (type.getSort() == Type.METHOD) {
            checkTypes(type.getReturnType());
            for (Type argument : type.getArgumentTypes()) {
                checkTypes(argument);
            }
        } else if (type.getSort() == Type.ARRAY) {
            checkTypes(type.getElementType());
        } else if (type.getSort() == Type.OBJECT && pool.find(type.getInternalName()).isEmpty()) {
            problems.add(type.getClassName() + " is missing");
        }
    }

    private void checkField(String owner, String name, String descriptor, boolean isStatic) {
        checkTypes(Type.getType(descriptor));
        checkClass(owner)
                .ifPresent(
                        type ->
                                checkMember(
                                        pool.field(type, name, descriptor),
                                        text(owner, name, descriptor),
                                        isStatic));
    }

    private void checkMethod(Handle call) {
        String owner = call.getOwner();
        checkTypes(Type.getMethodType(call.getDesc()));
        Optional<ClassNode> type = checkClass(owner);
        // Those of java.lang.invoke have whatever descriptor a call has.
        if (type.isEmpty() || owner.startsWith("java/lang/invoke/")) {
            return;
        }
        String text = text(owner, call.getName(), call.getDesc());
        Optional<Member> method = pool.method(type.get(), call.getName(), call.getDesc());
        checkMember(method, text, call.getTag() == Opcodes.H_INVOKESTATIC);
        if (call.isInterface() != ((type.get().access & Opcodes.ACC_INTERFACE) != 0)) {
            problems.add(
                    dotted(owner)
                            + (call.isInterface() ? " is not an interface" : " is an interface"));
        }
        if (call.getTag() == Opcodes.H_INVOKESPECIAL
                && method.isPresent()
                && method.get().has(Opcodes.ACC_ABSTRACT)) {
            problems.add(text + " is abstract: a call to super fails");
        }
    }

    private void checkMember(Optional<Member> member, String text, boolean isStatic) {
        if (member.isEmpty()) {
            problems.add(text + " is missing");
        } else if (!isOurs(member.get())) {
            if (member.get().has(Opcodes.ACC_STATIC) != isStatic) {
                problems.add(text + (isStatic ? " is not static" : " is static"));
            }
            if (!isAccessible(member.get())) {
                problems.add(text + " is not accessible");
            }
        }
    }

    private boolean isAccessible(Member member) {
        return member.has(Opcodes.ACC_PUBLIC)
                || (!member.has(Opcodes.ACC_PRIVATE) && isSamePackage(member.declarer().name))
                || (member.has(Opcodes.ACC_PROTECTED) && pool.isSubclass(user, member.declarer()))
                // An array's clone() is public whatever Object says.
                || member.declarer().name.equals("java/lang/Object");
    }

    private boolean isOurs(Member member) {
        return ours.test(member.declarer().name);
    }

    private boolean isSamePackage(String other) {
        return packageOf(user.name).equals(packageOf(other));
    }

    private static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('/') + 1);
    }

    private static String text(Member member) {
        return text(member.declarer().name, member.name(), member.descriptor());
    }

    /** As in Java: {@code long a.b.Clock.relativeTimeMillis()}. */
    private static String text(String owner, String name, String descriptor) {
        Type type = Type.getType(descriptor);
        if (type.getSort() != Type.METHOD) {
            return type.getClassName() + ' ' + dotted(owner) + '.' + name;
        }
        StringBuilder text = new StringBuilder();
        text.append(type.getReturnType().getClassName()).append(' ');
        text.append(dotted(owner)).append('.').append(name);
        List<String> arguments = new ArrayList<>();
        for (Type argument : type.getArgumentTypes()) {
            arguments.add(argument.getClassName());
        }
        return text.append('(').append(String.join(", ", arguments)).append(')').toString();
    }

    private static String dotted(String name) {
        return name.replace('/', '.');
    }
}
