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
package io.dstl.bench.profile;

/** One method on a stack. A value. */
final class StackFrame {
    private final String className;
    private final String method;

    StackFrame(String className, String method) {
        this.className = className;
        this.method = method;
    }

    /**
     * As the profiler writes it: {@code java/lang/Thread.run}. What is no method of Java has no
     * class.
     */
    static StackFrame parse(String text) {
        int slash = text.indexOf('/');
        int dot = text.lastIndexOf('.');
        if (slash <= 0 || dot < slash || text.contains("::") || text.startsWith("[")) {
            return new StackFrame("", text);
        }
        return new StackFrame(text.substring(0, dot).replace('/', '.'), text.substring(dot + 1));
    }

    /** With its package; empty for native code. */
    String className() {
        return className;
    }

    /** For a reader: without the package, and without what tells one lambda from another. */
    String label() {
        int lambda = className.indexOf("$$Lambda");
        String named = lambda < 0 ? className : className.substring(0, lambda);
        return named.substring(named.lastIndexOf('.') + 1) + "." + method;
    }
}
