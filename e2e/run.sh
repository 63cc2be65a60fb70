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
# The end-to-end run: e2e/run.sh --help tells what it does. Builds what it needs on first use and
# whenever a source is newer than the last build.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# As old as the start of the last build that succeeded: a source saved while it ran counts as newer.
built=$project/e2e/target/built

is_stale() {
    [[ ! -e $built ]] && return 0
    local newer
    newer=$(cd "$project" && find pom.xml conf ./*/pom.xml e2e/*/pom.xml ./*/src/main -newer "$built" -print -quit)
    [[ -n $newer ]]
}

if is_stale; then
    echo "building ..." >&2
    mkdir -p "$project/e2e/target"
    : >"$built.next"
    (cd "$project" && mvn -q -B -DskipTests -pl e2e -am package)
    mv "$built.next" "$built"
fi

# The last run's files stay until the next one.
run_dir=$project/e2e/target/run
rm -rf "$run_dir"
mkdir -p "$run_dir"

commit=$(git -C "$project" describe --always --dirty 2>/dev/null || echo unknown)
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
