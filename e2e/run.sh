#!/usr/bin/env bash
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# The end-to-end run: e2e/run.sh --help tells what it does. Builds what it needs.
set -euo pipefail

# The options that the build has to know: whose Flink to assemble.
. "$(dirname "${BASH_SOURCE[0]}")/../build/flink-version.sh" "$@"

module=e2e
. "$(dirname "${BASH_SOURCE[0]}")/../build/built-module.sh"

options=(--project "$project" --run-dir "$run_dir" --commit "$commit")
if [[ -t 1 ]]; then
    options+=(--terminal)
fi

exec "$java" \
    -Xmx1g \
    -XX:TieredStopAtLevel=1 \
    -Dorg.slf4j.simpleLogger.logFile="$run_dir/harness.log" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=info \
    -cp "$project/e2e/target/classes:$(<"$project/e2e/target/classpath")" \
    io.dstl.e2e.Main "${options[@]}" "$@"
