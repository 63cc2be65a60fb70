/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.e2e.scenario;

/** The two ways in which the same job is run. */
enum Mode {
    CHANGELOG_OFF("off", false),
    CHANGELOG_ON("on", true);

    private final String label;
    private final boolean changelog;

    Mode(String label, boolean changelog) {
        this.label = label;
        this.changelog = changelog;
    }

    /** For paths and headings. */
    String label() {
        return label;
    }

    boolean changelog() {
        return changelog;
    }
}
