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

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/**
 * Skips a test where no Docker engine answers, or none that can be used, unless {@code
 * DSTL_REQUIRE_DOCKER} says that one must: then the test runs, and fails.
 */
public final class RequiresDocker implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (Boolean.parseBoolean(System.getenv("DSTL_REQUIRE_DOCKER"))) {
            return ConditionEvaluationResult.enabled("DSTL_REQUIRE_DOCKER is set");
        }
        try {
            return DockerClientFactory.instance().isDockerAvailable()
                    ? ConditionEvaluationResult.enabled("a Docker engine answers")
                    : ConditionEvaluationResult.disabled("no Docker engine answers");
        } catch (RuntimeException e) {
            return ConditionEvaluationResult.disabled("the Docker engine starts nothing: " + e);
        }
    }
}
