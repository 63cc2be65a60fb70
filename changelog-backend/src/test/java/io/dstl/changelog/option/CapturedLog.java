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
package io.dstl.changelog.option;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.util.ExceptionUtils;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/**
 * All that is logged by us, the doors included, down to TRACE, with the failures' full chains: by
 * whatever else runs in this JVM too, so that the tests that use it run in one of their own.
 */
final class CapturedLog extends AbstractAppender implements AutoCloseable {

    private static final String[] OURS = {"io.dstl", "org.apache.flink.state.changelog"};

    private final List<LogEvent> events = Collections.synchronizedList(new ArrayList<>());

    CapturedLog() {
        super("captured", null, null, false, Property.EMPTY_ARRAY);
        start();
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        for (String ours : OURS) {
            Configurator.setLevel(ours, Level.TRACE);
            Logger logger = context.getLogger(ours);
            logger.setAdditive(false);
            logger.addAppender(this);
        }
    }

    @Override
    public void append(LogEvent event) {
        events.add(event.toImmutable());
    }

    /** In the order they were logged. */
    List<String> warnings() {
        return events().stream()
                .filter(event -> event.getLevel().isMoreSpecificThan(Level.WARN))
                .map(event -> event.getMessage().getFormattedMessage())
                .collect(Collectors.toList());
    }

    /** Every message and every stack trace. */
    List<String> texts() {
        return events().stream()
                .map(
                        event ->
                                event.getLevel()
                                        + " "
                                        + event.getLoggerName()
                                        + " "
                                        + event.getThreadName()
                                        + " "
                                        + event.getMessage().getFormattedMessage()
                                        + (event.getThrown() == null
                                                ? ""
                                                : "\n"
                                                        + ExceptionUtils.stringifyException(
                                                                event.getThrown())))
                .collect(Collectors.toList());
    }

    private List<LogEvent> events() {
        synchronized (events) {
            return new ArrayList<>(events);
        }
    }

    @Override
    public void close() {
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        for (String ours : OURS) {
            context.getLogger(ours).removeAppender(this);
        }
        stop();
    }
}
