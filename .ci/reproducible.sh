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
# Whether a second build makes the same bytes: builds the two jars once more, from a copy of the work tree in
# another directory and without tests and gates, and compares them and their bills of materials with those that
# "mvn package" has left in this one. About a minute and a half on two cores.
set -euo pipefail
exec </dev/null
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built() {
    find "$1"/dist/target "$1"/dstl-fs/target -maxdepth 1 \
        \( -name 'dstl-changelog-*.jar' -o -name 'dstl-fs-*-plugin.jar' -o -name '*.cdx.json' \) \
        ! -name 'original-*' -printf '%P\n' 2>/dev/null | sort
}

first=$(built . || true)
if [[ $(wc -l <<<"$first") -ne 4 ]]; then
    printf 'Two jars and two bills of materials should be in dist/target and dstl-fs/target: run "mvn -B package" first. There:\n%s\n' "$first" >&2
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -r "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [[ ! -e "$file" ]] || printf '%s\0' "$file"; done |
    tar --create --null --files-from=- | tar --extract --directory "$copy"
# The checks of the compiler change no class. Not offline: no bill of materials is made then.
(cd "$copy" && mvn -B -q package -pl dist -am -Dmaven.test.skip=true -Derror.prone.checks=-XepDisableAllChecks)

different=0
while IFS= read -r name; do
    for folder in dist/target dstl-fs/target; do
        if [[ -e "$folder/$name" ]] && ! cmp "$folder/$name" "$copy/$folder/$name"; then
            different=1
        fi
    done
done <<<"$first"
if [[ "$different" -ne 0 ]]; then
    echo "A second build of the same files makes other bytes: something of the machine, the time or the directory got in." >&2
    exit 1
fi
echo "A second build makes the same bytes: $(tr '\n' ' ' <<<"$first")"
