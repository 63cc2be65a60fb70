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
package io.dstl.store.s3.auth;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator, who has until the end of the credentials. Any thread. */
final class LoggedRenewals implements RenewedCredentials.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(LoggedRenewals.class);

    @Override
    public void failing(CachedCredentials inUse, String reason) {
        LOG.warn(
                "The credentials for S3 could not be renewed: those there are {}, and it is tried"
                        + " again. See that their source can be reached from here and grants them:"
                        + " {}",
                inUse,
                reason);
    }

    @Override
    public void recovered(String place) {
        LOG.info("The credentials for S3 are renewed again, from {}", place);
    }
}
