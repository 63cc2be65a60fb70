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
package io.dstl.fs.store;

/** What is to be put, under which names, and who follows it. */
final class PutRequest {

    private final AttemptNames names;
    private final SegmentContent content;
    private final PutListener listener;

    PutRequest(AttemptNames names, SegmentContent content, PutListener listener) {
        this.names = names;
        this.content = content;
        this.listener = listener;
    }

    AttemptNames names() {
        return names;
    }

    SegmentContent content() {
        return content;
    }

    PutListener listener() {
        return listener;
    }
}
