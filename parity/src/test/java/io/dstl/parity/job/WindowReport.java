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
package io.dstl.parity.job;

import io.dstl.parity.model.Windows;
import java.io.Serializable;
import java.util.function.Function;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Tells the stage what a window contained when it fired. */
final class WindowReport<T> extends ProcessWindowFunction<T, Void, String, TimeWindow> {

    private static final long serialVersionUID = 1L;

    private final String operator;
    private final Text<T> text;

    WindowReport(String operator, Text<T> text) {
        this.operator = operator;
        this.text = text;
    }

    @Override
    public void process(String key, Context context, Iterable<T> content, Collector<Void> out) {
        TimeWindow window = context.window();
        String name = Windows.name(key, window.getStart(), window.getEnd());
        Stage.current().fired(operator, name, text.apply(content));
    }

    /** What a window holds, as text. */
    interface Text<T> extends Function<Iterable<T>, String>, Serializable {}
}
