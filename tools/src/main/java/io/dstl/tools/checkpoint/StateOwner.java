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
package io.dstl.tools.checkpoint;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.runtime.checkpoint.OperatorState;

/**
 * Who has a state: an operator, and which of its subtasks, counted from 0; the operator alone for
 * the state of its coordinator. Immutable.
 */
public final class StateOwner {
    private final String operatorId;
    private final Optional<String> operatorName;
    private final Optional<String> operatorUid;
    private final int parallelism;
    private final OptionalInt subtask;

    private StateOwner(OperatorState operator, OptionalInt subtask) {
        this.operatorId = operator.getOperatorID().toString();
        this.operatorName = optional(operator, "getOperatorName");
        this.operatorUid = optional(operator, "getOperatorUid");
        this.parallelism = operator.getParallelism();
        this.subtask = subtask;
    }

    static StateOwner coordinator(OperatorState operator) {
        return new StateOwner(operator, OptionalInt.empty());
    }

    static StateOwner subtask(OperatorState operator, int subtask) {
        return new StateOwner(operator, OptionalInt.of(subtask));
    }

    /** Of a method that Flink has from 2.0 on. */
    private static Optional<String> optional(OperatorState operator, String method) {
        try {
            return ((Optional<?>) operator.getClass().getMethod(method).invoke(operator))
                    .map(Object::toString)
                    .filter(text -> !text.isEmpty());
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("OperatorState." + method + "() can't be called", e);
        }
    }

    /**
     * 32 hexadecimal digits, as in Flink's logs; the task's id too, if the operator is its head.
     */
    public String operatorId() {
        return operatorId;
    }

    /** Where the metadata has it: from Flink 2.0 on. */
    public Optional<String> operatorName() {
        return operatorName;
    }

    /** As set by {@code uid()}, where the metadata has it: from Flink 2.0 on. */
    public Optional<String> operatorUid() {
        return operatorUid;
    }

    /** Of the operator when the checkpoint was taken. */
    public int parallelism() {
        return parallelism;
    }

    /** From 0; empty for the coordinator. */
    public OptionalInt subtask() {
        return subtask;
    }

    /** As in "operator 0a448493b4782967b150582570326227 (Window), subtask 0 of 4". */
    @Override
    public String toString() {
        Optional<String> called = operatorUid.isPresent() ? operatorUid : operatorName;
        return "operator "
                + operatorId
                + called.map(name -> " (" + name + ")").orElse("")
                + ", "
                + (subtask.isPresent()
                        ? "subtask " + subtask.getAsInt() + " of " + parallelism
                        : "coordinator");
    }
}
