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

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the head of a class file tells: the version it was compiled for and the classes its code
 * refers to. Annotations are not among those, as the JVM does not need their classes.
 *
 * <pre>
 *   u4 0xCAFEBABE | u2 minor | u2 major | u2 constants + 1 | constant: u1 tag, bytes by tag ...
 * </pre>
 */
final class ClassFile {

    private static final int MAGIC = 0xCAFEBABE;
    private static final int TAG_UTF8 = 1;
    private static final int TAG_LONG = 5;
    private static final int TAG_DOUBLE = 6;
    private static final int TAG_CLASS = 7;

    private final int majorVersion;
    private final Set<String> references;

    private ClassFile(int majorVersion, Set<String> references) {
        this.majorVersion = majorVersion;
        this.references = references;
    }

    static ClassFile read(DataInputStream in) throws IOException {
        if (in.readInt() != MAGIC) {
            throw new IOException("Not a class file");
        }
        in.readUnsignedShort();
        int majorVersion = in.readUnsignedShort();
        int constants = in.readUnsignedShort();
        String[] texts = new String[constants];
        int[] classNames = new int[constants];
        for (int i = 1; i < constants; i++) {
            int tag = in.readUnsignedByte();
            if (tag == TAG_UTF8) {
                texts[i] = in.readUTF();
            } else if (tag == TAG_CLASS) {
                classNames[i] = in.readUnsignedShort();
            } else {
                in.readFully(new byte[width(tag)]);
            }
            if (tag == TAG_LONG || tag == TAG_DOUBLE) {
                i++; // these two count as two constants
            }
        }
        return new ClassFile(majorVersion, references(texts, classNames));
    }

    private static Set<String> references(String[] texts, int[] classNames) {
        Set<String> references = new TreeSet<>();
        for (int index : classNames) {
            if (index != 0) {
                elementType(texts[index]).ifPresent(references::add);
            }
        }
        return references;
    }

    /** The class itself, or that of an array's elements; empty for an array of primitives. */
    private static Optional<String> elementType(String name) {
        String binaryName = name.replace('/', '.');
        if (!binaryName.startsWith("[")) {
            return Optional.of(binaryName);
        }
        int start = binaryName.indexOf('L');
        return start < 0
                ? Optional.empty()
                : Optional.of(binaryName.substring(start + 1, binaryName.length() - 1));
    }

    /** Bytes of a constant after its tag. */
    private static int width(int tag) throws IOException {
        switch (tag) {
            case 8: // String
            case 16: // MethodType
            case 19: // Module
            case 20: // Package
                return 2;
            case 15: // MethodHandle
                return 3;
            case 3: // Integer
            case 4: // Float
            case 9: // Fieldref
            case 10: // Methodref
            case 11: // InterfaceMethodref
            case 12: // NameAndType
            case 17: // Dynamic
            case 18: // InvokeDynamic
                return 4;
            case TAG_LONG:
            case TAG_DOUBLE:
                return 8;
            default:
                throw new IOException("Constant with unknown tag " + tag);
        }
    }

    int majorVersion() {
        return majorVersion;
    }

    /** Binary names, with dots. */
    Set<String> references() {
        return references;
    }
}
