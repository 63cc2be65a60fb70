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
package io.dstl.tools.sizing;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What options of the command line make, without the command. */
@Command
final class Sized {
    @Mixin final Workload workload = new Workload();
    @Mixin final Tuning tuning = new Tuning();
    @Mixin final Prices prices = new Prices();

    private Sized() {}

    static Sized by(String... options) {
        Sized sized = new Sized();
        new CommandLine(sized).setOverwrittenOptionsAllowed(true).parseArgs(options);
        return sized;
    }

    Sizing sizing() {
        return new Sizing(workload, tuning);
    }
}
