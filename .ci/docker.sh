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
# Sourced by .ci/run: a Docker engine where there is no service manager, and MinIO where there is no registry.

# What minio@latest was when these tests last passed with it.
MINIO_VERSION=v0.0.0-20260212201848-7aac2a2c5b7c
MINIO_IMAGE=minio/minio:$MINIO_VERSION
# Tests and the e2e run take this image instead of a release's from the registry.
export DSTL_MINIO_IMAGE=$MINIO_IMAGE
DOCKERD_PID=
DOCKERD_LOG=

# Uses the engine that answers, else starts one that lives as long as this script.
start_docker() {
    if docker info >/dev/null 2>&1; then
        echo "An engine is up."
        return
    fi
    ensure_packages dockerd:docker.io docker:docker.io iptables:iptables
    if ! docker info >/dev/null 2>&1; then
        DOCKERD_LOG=$(mktemp)
        dockerd >"$DOCKERD_LOG" 2>&1 &
        DOCKERD_PID=$!
        await_docker
    fi
    docker version --format 'Engine {{.Server.Version}}, API {{.Server.APIVersion}}'
}

await_docker() {
    local second
    for ((second = 0; second < 60; second++)); do
        docker info >/dev/null 2>&1 && return
        kill -0 "$DOCKERD_PID" 2>/dev/null || break
        sleep 1
    done
    echo "dockerd does not answer; its log:" >&2
    cat "$DOCKERD_LOG" >&2
    return 1
}

stop_docker() {
    if [[ -n "$DOCKERD_PID" ]]; then
        kill "$DOCKERD_PID" 2>/dev/null || true
        wait "$DOCKERD_PID" 2>/dev/null || true
        rm -f "$DOCKERD_LOG"
    fi
}

# Builds the image from MinIO's source: a static binary needs nothing below it.
ensure_minio_image() {
    if docker image inspect "$MINIO_IMAGE" >/dev/null 2>&1; then
        echo "$MINIO_IMAGE is there."
        return
    fi
    local go context attempt
    go=$(command -v go || echo /usr/local/go/bin/go)
    if [[ ! -x "$go" ]]; then
        echo "No $MINIO_IMAGE and no Go to build it: install Go, or run 'docker pull $MINIO_IMAGE'." >&2
        return 1
    fi
    context=$(mktemp -d)
    for attempt in 1 2 3; do
        # It keeps what it has downloaded.
        CGO_ENABLED=0 GOBIN="$context" "$go" install -ldflags '-s -w' "github.com/minio/minio@$MINIO_VERSION" && break
        if ((attempt == 3)); then
            rm -r "$context"
            return 1
        fi
        sleep 10
    done
    printf 'FROM scratch\nCOPY minio /usr/bin/minio\nENTRYPOINT ["/usr/bin/minio"]\n' >"$context/Dockerfile"
    docker build --tag "$MINIO_IMAGE" "$context"
    rm -r "$context"
}
