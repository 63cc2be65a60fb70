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
package io.dstl.fs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of this process, started with the first factory, once its jars are checked. A
 * storage works without them. Any thread.
 */
final class ProcessListeners {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessListeners.class);

    private static final List<ProcessListener> STARTED = start();

    private ProcessListeners() {}

    private static List<ProcessListener> start() {
        InstalledJars.check(ProcessListeners.class.getClassLoader());
        List<ProcessListener> found = new ArrayList<>();
        try {
            ServiceLoader.load(ProcessListener.class, ProcessListeners.class.getClassLoader())
                    .forEach(found::add);
        } catch (Throwable t) {
            failed("loading what is installed", t);
        }
        tell(found, ProcessListener::started);
        return List.copyOf(found);
    }

    /** Has an effect the first time only. */
    static void started() {
        // Initializing this class has started them.
    }

    static void jobArrives() {
        tell(STARTED, ProcessListener::jobArrives);
    }

    private static void tell(List<ProcessListener> listeners, Consumer<ProcessListener> news) {
        for (ProcessListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (Throwable t) {
                failed(listener.getClass().getName(), t);
            }
        }
    }

    private static void failed(String what, Throwable failure) {
        ExceptionUtils.rethrowIfFatalError(failure);
        LOG.warn(
                "What prepares for the first task has failed, which no task depends on: {}",
                what,
                failure);
    }
}
