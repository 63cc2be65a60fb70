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
package io.dstl.fs.store.s3;

/**
 * Hears how the renewal of credentials goes, each change once. On the thread that renews; does not
 * block.
 */
interface RenewalListener {

    /**
     * It fails, or fails for another reason; it is tried again.
     *
     * @param inUse those that there are; they have not ended
     * @param reason no secret
     */
    void failing(Lease inUse, String reason);

    /**
     * It has succeeded after it had failed.
     *
     * @param place that they come from
     */
    void recovered(String place);
}
