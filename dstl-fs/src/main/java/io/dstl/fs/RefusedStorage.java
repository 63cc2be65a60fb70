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
package io.dstl.fs;

import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * Stands in for a storage whose options cannot work. Flink makes a storage for every job, also for
 * those without a changelog, which need not suffer: the error is thrown where a log is wanted.
 */
final class RefusedStorage implements StateChangelogStorage<ChangelogStateHandleStreamImpl> {

    private final IllegalConfigurationException reason;

    RefusedStorage(IllegalConfigurationException reason) {
        this.reason = reason;
    }

    @Override
    public StateChangelogWriter<ChangelogStateHandleStreamImpl> createWriter(
            String operatorId, KeyGroupRange keyGroups, MailboxExecutor mailbox) {
        throw refusal();
    }

    @Override
    public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
        throw refusal();
    }

    private IllegalConfigurationException refusal() {
        return new IllegalConfigurationException(reason.getMessage(), reason);
    }
}
