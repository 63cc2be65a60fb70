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
# Sourced by the run.sh of a module that is set in "module": builds the module on first use and whenever a source is
# newer than the last build, and empties its run directory.
# Sets java, project, run_dir and commit.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# As old as the start of the last build that succeeded: a source saved while it ran counts as newer.
built=$project/$module/target/built

is_stale() {
    [[ ! -e $built ]] && return 0
    local newer
    newer=$(cd "$project" && find pom.xml conf ./*/pom.xml e2e/*/pom.xml benchmarks/*/pom.xml ./*/src/main benchmarks/*/src/main -newer "$built" -print -quit)
    [[ -n $newer ]]
}

if is_stale; then
    echo "building ..." >&2
    mkdir -p "$project/$module/target"
    : >"$built.next"
    (cd "$project" && mvn -q -B -DskipTests -pl "$module" -am package)
    mv "$built.next" "$built"
fi

# The last run's files stay until the next one.
run_dir=$project/$module/target/run
rm -rf "$run_dir"
mkdir -p "$run_dir"

# What the commands themselves write, tables and results, does not make the measured code another.
commit=$(git -C "$project" describe --always 2>/dev/null || echo unknown)
if [[ "$commit" != unknown ]] && ! git -C "$project" diff --quiet HEAD -- . \
    ':(exclude)README.md' ':(exclude)docs/benchmarks.md' ':(exclude)benchmarks/results'; then
    commit+=-dirty
fi
