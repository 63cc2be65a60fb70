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

/**
 * Makes a test class or method a case of the {@link Matrix} whose representative is another one: it
 * is skipped in a run of representatives, and takes its turn in the others.
 */
public final class MatrixCase implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return Matrix.ofThisRun().runsOther(context.getUniqueId().hashCode())
                ? ConditionEvaluationResult.enabled("selected by " + Matrix.PROPERTY)
                : ConditionEvaluationResult.disabled(
                        "part of the matrix that mvn -Pfull runs; another case stands for it");
    }
}
