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
package io.dstl.fs.batch;

import io.dstl.fs.option.DstlOptions;
import java.io.IOException;

/**
 * A store that has never stored anything refuses: waiting is no use. Fails the persists that need
 * the change set, so that whoever has just started the job sees why.
 */
public final class RefusedFromTheStartException extends IOException {

    private static final long serialVersionUID = 1L;

    RefusedFromTheStartException(Throwable cause) {
        super(
                "The store refuses the changelog and has never stored any of it. Look at "
                        + DstlOptions.BASE_PATH.key()
                        + ", the credentials and their permissions: "
                        + cause.getMessage(),
                cause);
    }
}
