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
# Sourced by the run.sh of a module with its command line: sets flink_version to what --flink-version says, to nothing
# without it. Ends the script where that is none of the versions in the properties of pom.xml that "known_versions" names.

flink_version=
arguments=("$@")
for ((i = 0; i < $#; i++)); do
    case ${arguments[i]} in
        --flink-version) flink_version=${arguments[i + 1]:-} ;;
        --flink-version=*) flink_version=${arguments[i]#*=} ;;
    esac
done
if [[ -n $flink_version ]]; then
    versions=
    for property in "${known_versions[@]}"; do
        versions+=,$(sed -n "s|.*<$property>\(.*\)</$property>.*|\1|p" "$(dirname "${BASH_SOURCE[0]}")/../pom.xml")
    done
    versions=${versions#,}
    if [[ ,$versions, != *,"$flink_version",* ]]; then
        echo "--flink-version is $flink_version: give one of ${versions//,/, }" >&2
        exit 2
    fi
fi
