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
package io.dstl.harness.store;

import java.net.URI;

/**
 * An S3 server for one run, with one bucket in it. Thread-safe; up from the time its constructor
 * returns until it is closed. Closing twice is allowed; what it held is gone then.
 */
public interface S3Store extends AutoCloseable {

    /** The same for each kind of server: nothing but this machine can reach it. */
    Credentials CREDENTIALS = new Credentials("dstl-e2e", "dstl-e2e-secret");

    /** Where clients on this machine find it. */
    URI endpoint();

    /** What it is, for the reader of the run's output. */
    String description();

    @Override
    void close();
}
