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
# The benchmarks: benchmarks/run.sh storage --help tells what it does. Builds what it needs on first
# use and whenever a source is newer than the last build.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# As old as the start of the last build that succeeded: a source saved while it ran counts as newer.
built=$project/benchmarks/target/built

is_stale() {
    [[ ! -e $built ]] && return 0
    local newer
    newer=$(cd "$project" && find pom.xml conf ./*/pom.xml e2e/*/pom.xml ./*/src/main -newer "$built" -print -quit)
    [[ -n $newer ]]
}

if is_stale; then
    echo "building ..." >&2
    mkdir -p "$project/benchmarks/target"
    : >"$built.next"
    (cd "$project" && mvn -q -B -DskipTests -pl benchmarks -am package)
    mv "$built.next" "$built"
fi

# The last run's files stay until the next one.
run_dir=$project/benchmarks/target/run
rm -rf "$run_dir"
mkdir -p "$run_dir"

commit=$(git -C "$project" describe --always --dirty 2>/dev/null || echo unknown)
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
