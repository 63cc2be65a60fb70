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
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/**
 * What some loggers log, those below them included, down to TRACE, with the failures' full chains:
 * by whatever else runs in this JVM too. So tests that read all of ours run in one of their own.
 */
public final class CapturedLog extends AbstractAppender implements AutoCloseable {
    private static final String[] OURS = {"io.dstl", "org.apache.flink.state.changelog"};

    private final List<LogEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final String[] loggers;

    /** All that is logged by us, the doors included. */
    CapturedLog() {
        this(OURS);
    }

    public CapturedLog(String... loggers) {
        super("captured", null, null, false, Property.EMPTY_ARRAY);
        this.loggers = loggers.clone();
        start();
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        for (String logger : loggers) {
            Configurator.setLevel(logger, Level.TRACE);
            context.getLogger(logger).setAdditive(false);
            context.getLogger(logger).addAppender(this);
        }
    }

    @Override
    public void append(LogEvent event) {
        events.add(event.toImmutable());
    }

    /** In the order they were logged, of whatever level. */
    public List<String> messages() {
        return events().stream()
                .map(event -> event.getMessage().getFormattedMessage())
                .collect(Collectors.toList());
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
        return events().stream().map(CapturedLog::text).collect(Collectors.toList());
    }

    private static String text(LogEvent event) {
        Throwable thrown = event.getThrown();
        return String.join(
                " ",
                event.getLevel().toString(),
                event.getLoggerName(),
                event.getThreadName(),
                event.getMessage().getFormattedMessage(),
                thrown == null ? "" : "\n" + ExceptionUtils.stringifyException(thrown));
    }

    private List<LogEvent> events() {
        synchronized (events) {
            return new ArrayList<>(events);
        }
    }

    @Override
    public void close() {
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        for (String logger : loggers) {
            context.getLogger(logger).removeAppender(this);
        }
        stop();
    }
}
