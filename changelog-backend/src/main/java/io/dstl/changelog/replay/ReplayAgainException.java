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
package io.dstl.changelog.replay;

import java.io.IOException;

/**
 * What was taken in before the delegate was there is of no use, and nothing of it has been written
 * to the delegate: the log is to be replayed again, into the delegate, which tells better than this
 * what is wrong, if anything is.
 */
public final class ReplayAgainException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The delegate keeps a state otherwise than its log let expect. */
    ReplayAgainException(String state, String reason) {
        super("state '" + state + "': " + reason);
    }

    /** It can't be taken in. */
    ReplayAgainException(Exception cause) {
        super(cause.getMessage(), cause);
    }
}
