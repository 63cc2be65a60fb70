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
package io.dstl.changelog.flink;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * An object with a few methods replaced, for interfaces with many of which a test needs one or two
 * otherwise.
 *
 * <p>Threading: that of the object and of the replacements.
 *
 * @param <T> the interface
 */
final class Overlay<T> implements InvocationHandler {
    /** Takes the place of one method. */
    @FunctionalInterface
    interface Replacement {
        Object call(Object[] arguments) throws Exception;
    }

    private final Class<T> type;
    private final T below;
    private final Set<Class<?>> types = new LinkedHashSet<>();
    private final Map<String, Replacement> replaced = new HashMap<>();

    private Overlay(Class<T> type, T below) {
        this.type = requireNonNull(type);
        this.below = requireNonNull(below);
        types.add(type);
    }

    static <T> Overlay<T> over(Class<T> type, T below) {
        return new Overlay<>(type, below);
    }

    /** Keeps this interface of the object below as well. */
    Overlay<T> keeping(Class<?> other) {
        types.add(other);
        return this;
    }

    /** All methods of that name. */
    Overlay<T> replacing(String method, Replacement replacement) {
        if (Arrays.stream(type.getMethods()).noneMatch(m -> m.getName().equals(method))) {
            throw new IllegalArgumentException(type + " has no method " + method);
        }
        replaced.put(method, requireNonNull(replacement));
        return this;
    }

    T get() {
        return type.cast(
                Proxy.newProxyInstance(
                        Overlay.class.getClassLoader(), types.toArray(new Class<?>[0]), this));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Replacement replacement = replaced.get(method.getName());
        if (replacement != null) {
            return replacement.call(arguments);
        }
        try {
            return method.invoke(below, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
