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
package io.dstl.changelog.keyed;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.TaskStateManager;

/**
 * Turns local recovery off for a delegate whose snapshots no local state lists, and changes nothing
 * else. With local recovery the delegate would write snapshots to directories that Flink names by
 * their ids alone, and deletes as soon as the listed operator has taken a later snapshot.
 *
 * <p>Owns nothing, and passes each call through to the task's interfaces.
 */
final class WithoutLocalBackup {
    private WithoutLocalBackup() {}

    static <K> KeyedStateBackendParameters<K> of(KeyedStateBackendParameters<K> parameters) {
        return new KeyedStateBackendParametersImpl<>(
                of(parameters.getEnv()),
                parameters.getJobID(),
                parameters.getOperatorIdentifier(),
                parameters.getKeySerializer(),
                parameters.getNumberOfKeyGroups(),
                parameters.getKeyGroupRange(),
                parameters.getKvStateRegistry(),
                parameters.getTtlTimeProvider(),
                parameters.getMetricGroup(),
                parameters.getCustomInitializationMetrics(),
                parameters.getStateHandles(),
                parameters.getCancelStreamRegistry(),
                parameters.getManagedMemoryFraction());
    }

    private static Environment of(Environment env) {
        TaskStateManager state =
                replacing(
                        TaskStateManager.class,
                        env.getTaskStateManager(),
                        "createLocalRecoveryConfig",
                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
        return replacing(Environment.class, env, "getTaskStateManager", state);
    }

    /** Returns the target with one getter replaced. */
    private static <T> T replacing(Class<T> type, T target, String getter, Object result) {
        InvocationHandler handler =
                (proxy, method, arguments) -> {
                    if (method.getName().equals(getter)) {
                        return result;
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                };
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
