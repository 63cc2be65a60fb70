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

import io.dstl.fs.option.DstlSettings;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once, when a job's first log is opened, where changes go and what of the options has not the
 * effect it seems to have. A job without a changelog hears nothing of it. Any thread.
 */
final class StartReport {

    private static final Logger LOG = LoggerFactory.getLogger(StartReport.class);

    private final JobID job;
    private final DstlSettings settings;
    private final StorePlace place;
    private final AtomicBoolean given = new AtomicBoolean();

    StartReport(JobID job, DstlSettings settings, StorePlace place) {
        this.job = job;
        this.settings = settings;
        this.place = place;
    }

    void giveOnce() {
        if (given.compareAndSet(false, true)) {
            LOG.info("dstl stores the changelog of job {}: {}", job, settings);
            LOG.info("Segments of job {} are stored by {}", job, place);
            settings.warnings().forEach(warning -> LOG.warn("Job {}: {}", job, warning));
        }
    }
}
