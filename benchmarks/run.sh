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
# The benchmarks: benchmarks/run.sh storage --help tells what that one does; micro and serializers are others.
# Builds what it needs.
set -euo pipefail

# The option that the build has to know: whose Flink to assemble.
. "$(dirname "${BASH_SOURCE[0]}")/../build/flink-version.sh" "$@"

module=benchmarks
. "$(dirname "${BASH_SOURCE[0]}")/../build/built-module.sh"

command="benchmarks/run.sh $*"

if [[ $# -eq 0 ]]; then
    set -- storage --help
fi
subcommand=$1
shift

# The proxy runs in here: a heap with room, so that its collections are not the store's latency.
exec "$java" \
    -Xms512m -Xmx1g \
    -Dorg.slf4j.simpleLogger.logFile="$run_dir/harness.log" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=info \
    -cp "$project/benchmarks/target/classes:$(<"$project/benchmarks/target/classpath")" \
    io.dstl.bench.Main "$subcommand" \
    --project "$project" --run-dir "$run_dir" --commit "$commit" --command "$command" "$@"
