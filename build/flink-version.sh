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
# Sourced by the run.sh of a module with its command line: sets the array "flink_versions" to those that --flink-version
# and the links of --chain name. Ends the script where one is none of those that pom.xml has.

flink_versions=()
arguments=("$@")
for ((i = 0; i < $#; i++)); do
    case ${arguments[i]} in
        --flink-version) flink_versions+=("${arguments[i + 1]:-}") ;;
        --flink-version=*) flink_versions+=("${arguments[i]#*=}") ;;
        --chain | --chain=*)
            links=${arguments[i]#--chain}
            links=${links#=}
            for link in $(tr ',' ' ' <<<"${links:-${arguments[i + 1]:-}}"); do
                [[ $link != *@* ]] || flink_versions+=("${link#*@}")
            done
            ;;
    esac
done
known_versions=$(sed -n 's|.*<flink2\{0,1\}\.versions>\(.*\)</flink2\{0,1\}\.versions>.*|\1|p' "$(dirname "${BASH_SOURCE[0]}")/../pom.xml" | paste -sd,)
for version in ${flink_versions[@]+"${flink_versions[@]}"}; do
    if [[ ,$known_versions, != *,"$version",* ]]; then
        echo "The Flink version is $version: give one of ${known_versions//,/, }" >&2
        exit 2
    fi
done
