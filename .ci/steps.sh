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
# Sourced by .ci/run and .ci/nightly: what both set up, and how they count what failed.

. .ci/docker.sh
. .ci/packages.sh
trap stop_docker EXIT

export CI=true
# Here a test that needs Docker fails without it instead of being skipped.
export DSTL_REQUIRE_DOCKER=true
# No image registry is needed: Ryuk and the start-up checks would pull images of their own, and so would finding
# out the address of containers when this machine is itself one.
export TESTCONTAINERS_RYUK_DISABLED=true
export TESTCONTAINERS_CHECKS_DISABLE=true
export TESTCONTAINERS_HOST_OVERRIDE=${TESTCONTAINERS_HOST_OVERRIDE:-127.0.0.1}

failed=()

step() { printf '\n== %s (%s)\n' "$1" "$(date -u +%T)"; }

# Runs a command as a step of its own; a failure is kept for the end.
check() {
    step "$*"
    "$@" || failed+=("$*")
}

prepare() {
    tree_before=$(git status --porcelain)
    step "Docker"
    start_docker
    step "MinIO image"
    ensure_minio_image
    step "Browser, Prometheus"
    ensure_packages chromium:chromium chromedriver:chromium-driver promtool:prometheus
    # What an earlier run left would be counted with this one's.
    find . -type d -path '*/target/*-reports' -prune -exec rm -r {} +
}

# Ends with "N passed, N failed, N skipped".
conclude() {
    step "Work tree"
    local tree_after
    tree_after=$(git status --porcelain)
    if [[ "$tree_after" != "$tree_before" ]]; then
        printf 'The build left changes in the work tree: ignore them in .gitignore or write under target/\n%s\n' "$tree_after"
        failed+=("work tree")
    fi
    step "Tests"
    [[ ${#failed[@]} -eq 0 ]] || printf 'FAILED: %s\n' "${failed[@]}"
    .ci/test-totals.sh || failed+=("tests")
    [[ ${#failed[@]} -eq 0 ]]
}
