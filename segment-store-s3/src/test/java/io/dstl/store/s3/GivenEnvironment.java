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
package io.dstl.store.s3;

import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Variables and system properties that a test sets; none of those of this process. */
final class GivenEnvironment implements S3Environment {

    private final Map<String, String> variables = new HashMap<>();
    private final Map<String, String> properties = new HashMap<>();

    static GivenEnvironment of(Map<String, String> variables) {
        GivenEnvironment environment = new GivenEnvironment();
        environment.variables.putAll(variables);
        return environment;
    }

    GivenEnvironment withVariable(String name, String value) {
        variables.put(name, value);
        return this;
    }

    GivenEnvironment withProperty(String name, String value) {
        properties.put(name, value);
        return this;
    }

    @Override
    public Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name));
    }

    @Override
    public Optional<String> property(String name) {
        return given(name).filter(value -> !value.isEmpty());
    }

    @Override
    public Optional<String> given(String name) {
        return Optional.ofNullable(properties.get(name));
    }
}
