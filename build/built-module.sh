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
# newer than the last build, and empties its run directory. For each version in the array "flink_versions" it also
# assembles a Flink home without our jar, in e2e/flink-home/target/flink-<version>.
# Sets java, project, run_dir and commit.
#
# Several runs in one checkout are safe: they build in turns, each has a run directory of its own, and none builds
# while another still uses what was built. The locks are the shell's and, after exec, the harness's: they go with it.

unset CDPATH
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# As old as the start of the last build that succeeded: a source saved while it ran counts as newer. It has the
# directory of that build, as class paths name it: in a copy, or when it was moved, they lead elsewhere.
built=$project/$module/target/built

is_stale() {
    [[ ! -e $built || $(<"$built") != "$project" ]] && return 0
    local newer
    newer=$(cd "$project" && find pom.xml conf ./*/pom.xml e2e/*/pom.xml benchmarks/*/pom.xml ./*/src/main benchmarks/*/src/main -newer "$built" -print -quit)
    [[ -n $newer ]]
}

# The locks are not for Maven to keep: what it leaves running would hold them.
maven() {
    (cd "$project" && exec mvn -B "$@" 7>&- 8>&-)
}

# Keeps what Maven says in that file, and shows of it the modules as they are begun and how far the downloads are.
progress() {
    local line downloaded=0
    while IFS= read -r line; do
        printf '%s\n' "$line" >&6
        if [[ $line =~ ^\[INFO\]\ Building\ ([^\ ]+)\ .*\[([0-9]+)/([0-9]+)\]$ ]]; then
            echo "  ${BASH_REMATCH[1]} (${BASH_REMATCH[2]} of ${BASH_REMATCH[3]})"
        elif [[ $line == *Downloaded\ from* ]]; then
            downloaded=$((downloaded + 1))
            ((downloaded % 100)) || echo "  $downloaded files downloaded"
        fi
    done 6>"$1" >&2
}

build() {
    if ! flock --nonblock 8; then
        echo "The sources have changed, and another run in $project still uses the last build:" \
            "wait until it has ended, or use a checkout of its own." >&2
        exit 1
    fi
    echo "building ..." >&2
    mkdir -p "$project/$module/target"
    printf '%s\n' "$project" >"$built.next"
    local log=$project/$module/target/build.log ended
    maven -DskipTests -Dmaven.test.skip -pl "$module" -am package 2>&1 | progress "$log" && ended=${PIPESTATUS[0]} || ended=1
    if ((ended != 0)); then
        echo "The build has failed; the end of $log:" >&2
        tail -n 40 "$log" >&2
        exit 1
    fi
    mv "$built.next" "$built"
}

# Moved to its place when complete: what is there is whole. Assembled again when its recipe has changed.
assemble_flink() {
    local recipe=$project/e2e/flink-home home=$project/e2e/flink-home/target/flink-$flink_version
    [[ -d $home && ! $recipe/pom.xml -nt $home ]] && return
    echo "assembling Flink $flink_version ..." >&2
    local options=(-Dbare "-Dflink.version=$flink_version" "-Dflink.home=$home.next")
    # What is not published in every patch version is of the minor version's first.
    [[ $flink_version == 1.* ]] || options+=("-Dflink2=${flink_version%.*}.0")
    maven -q -pl e2e/flink-home package "${options[@]}"
    rm -rf "$home"
    mv "$home.next" "$home"
    touch "$home"
}

if ! command -v flock >/dev/null; then
    echo "flock is not installed (util-linux): start no second run before this one has ended." >&2
    flock() { :; }
fi
mkdir -p "$project/target"
exec 7>"$project/target/building.lock" 8>"$project/target/using.lock"
if ! flock --nonblock 7; then
    echo "waiting for another run's build ..." >&2
    flock 7
fi
if is_stale; then
    build
fi
for flink_version in ${flink_versions[@]+"${flink_versions[@]}"}; do
    assemble_flink
done
flock --shared 8
exec 7>&-

# The files of a run stay until the next one; a second at the same time has run-2.
mkdir -p "$project/$module/target"
for ((run = 1; ; run++)); do
    run_dir=$project/$module/target/run
    ((run == 1)) || run_dir+=-$run
    exec 9>"$run_dir.lock"
    flock --nonblock 9 && break
done
# A run that was killed may have left its cluster, which goes on ...
if [[ -r /proc/self/comm ]]; then
    left=$(grep -laF -f <(printf '%s/' "$run_dir") /proc/[0-9]*/cmdline 2>/dev/null | tr -dc '0-9\n' | while read -r pid; do
        read -r name <"/proc/$pid/comm" && [[ $name =~ ^(java|minio|prometheus)$ ]] && echo "$pid"
    done 2>/dev/null) || true
    if [[ -n $left ]]; then
        echo "A run that was killed has left processes that still use $run_dir: end them by 'kill -9" $left"'." >&2
        exit 1
    fi
fi
# ... and the disk of its TaskManagers.
if [[ -r /proc/self/mounts ]]; then
    awk -v below="$run_dir/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | xargs --no-run-if-empty umount --lazy
fi
rm -rf "$run_dir"
mkdir -p "$run_dir"

# The tables that the commands themselves write do not make the measured code another.
commit=$(git -C "$project" describe --always 2>/dev/null || echo unknown)
if [[ "$commit" != unknown ]] && ! git -C "$project" diff --quiet HEAD -- . \
    ':(exclude)README.md' ':(exclude)docs/benchmarks.md' ':(exclude)docs/scale.md'; then
    commit+=-dirty
fi
