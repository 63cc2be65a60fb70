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
# Prints which share of the matrix this commit runs, as dstl.matrix takes it: .ci/matrix-share.sh SHARES prints K/SHARES.
# K is the commit's number, so the shares are run one after the other. A shallow clone does not know that number, and
# would count the same for ever: there the commit's hash draws the share.
set -euo pipefail
shares=$1

if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
    hash=$(git rev-parse HEAD)
    echo "$((16#${hash:0:7} % shares))/$shares"
else
    echo "$(($(git rev-list --count HEAD) % shares))/$shares"
fi
