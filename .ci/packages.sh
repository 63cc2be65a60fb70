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
# Sourced by .ci/run.

# Installs what is missing: each argument is <command>:<Debian package that has it>.
ensure_packages() {
    local missing=() entry options=(-q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    for entry in "$@"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $(id -u) -ne 0 ]]; then
        echo "Not installed: ${missing[*]}. Run as root, or install them first." >&2
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get "${options[@]}" update
    apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}"
}
