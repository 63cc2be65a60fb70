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
package io.dstl.store.s3.config;

/** What is configured for S3 is not for the direct client: by key and value, and with a remedy. */
public final class UnsupportedS3Exception extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * @param what key and value, without a secret
     * @param remedy a sentence without its full stop
     */
    public UnsupportedS3Exception(String what, String remedy) {
        super(what + ". " + remedy);
    }
}
