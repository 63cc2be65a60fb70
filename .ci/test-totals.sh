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
# Adds up the reports of surefire and failsafe, by module and in all. Fails if a test failed, or if there were none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob globstar

reports=(**/target/{surefire,failsafe}-reports/TEST-*.xml)
[[ ${#reports[@]} -gt 0 ]] || { echo "0 passed, 0 failed, 0 skipped"; exit 1; }

awk '
    function attribute(name) {
        return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : 0
    }
    # The root element is the first <testsuite of a file; the reports hold no nested one.
    /<testsuite / {
        module = FILENAME
        sub(/\/target\/.*/, "", module)
        if (!(module in seen)) { seen[module] = 1; order[++modules] = module }
        bad = attribute("failures") + attribute("errors")
        skip = attribute("skipped")
        failed[module] += bad
        skipped[module] += skip
        passed[module] += attribute("tests") - bad - skip
        nextfile
    }
    END {
        for (i = 1; i <= modules; i++) {
            m = order[i]
            printf "%-20s %5d passed, %d failed, %d skipped\n", m, passed[m], failed[m], skipped[m]
            p += passed[m]; f += failed[m]; s += skipped[m]
        }
        printf "%d passed, %d failed, %d skipped\n", p, f, s
        exit (f > 0)
    }
' "${reports[@]}"
