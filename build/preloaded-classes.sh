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
# Adds to the list of classes that a TaskManager's warm-up loads, from what JVMs have logged. The warm-up is off then, as
# its classes would come too early to be told from those of the TaskManager's start:
#
#     logs=$(mktemp -d)
#     benchmarks/run.sh recovery --workload value,window,sql --kills 1 --variants dstl \
#         -D "env.java.opts.taskmanager=-Xlog:class+load:file=$logs/%p.log" -D state.changelog.replay.warm-up.enabled=false
#     build/preloaded-classes.sh "$logs"/*.log
#
# The list has each class of a jar in Flink's lib/ that is loaded once a slot is there for a job. Of dstl's own classes,
# those that are gone are left out. To begin anew, empty the list before.
set -euo pipefail

if [[ $# -eq 0 ]]; then
    echo "Usage: build/preloaded-classes.sh LOG...  (logs of -Xlog:class+load; how to get them is said in this file)" >&2
    exit 2
fi
unset CDPATH
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
list=$project/changelog-backend/src/main/resources/io/dstl/changelog/keyed/preloaded-classes.txt
slot=org.apache.flink.runtime.taskexecutor.slot.TaskSlot

for log in "$@"; do
    grep -q " $slot source: " "$log" || echo "$log: no slot, so nothing is taken from it" >&2
done

# Names of lambdas have a slash, those of generated code no package; those of reflection and proxies come from no jar.
logged=$(awk -v slot=$slot '
    FNR == 1 { job = 0 }
    { name = $(NF - 2) }
    name == slot { job = 1 }
    job && $NF ~ /^file:.*\/lib\/[^\/]*\.jar$/ && $NF !~ /\/plugins\// && name ~ /[.]/ && name !~ /\// { print name }
' "$@")

is_there() {
    case $1 in
        io.dstl.shaded.*) ;;
        io.dstl.*)
            local file=${1%%\$*}
            compgen -G "$project/*/src/main/java/${file//.//}.java" >/dev/null
            ;;
    esac
}

new=$(mktemp)
{
    grep '^#' "$list"
    { grep -v '^#' "$list" || true; echo "$logged"; } | sed '/^$/d' | LC_ALL=C sort -u | while read -r name; do
        if is_there "$name"; then echo "$name"; fi
    done
} >"$new"
before=$(grep -vc '^#' "$list" || true)
cat "$new" >"$list"
rm "$new"
echo "$(grep -vc '^#' "$list") classes, before $before"
