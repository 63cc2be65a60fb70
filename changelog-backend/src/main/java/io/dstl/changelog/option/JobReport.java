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
package io.dstl.changelog.option;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.option.OptionReport;
import io.dstl.secret.Redaction;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports once for each job and TaskManager which of the job's options lack the effect they seem to
 * have. A storage lives as long as its job is on the TaskManager, over restarts and for all tasks,
 * so it stands for both. Any thread.
 */
public final class JobReport {
    private static final Logger LOG = LoggerFactory.getLogger(JobReport.class);

    @GuardedBy("REPORTED")
    private static final Set<StateChangelogStorage<?>> REPORTED =
            Collections.newSetFromMap(new WeakHashMap<>());

    private JobReport() {}

    /**
     * Never fails: options that the job does not use need not be readable.
     *
     * @param env of any task of the job
     * @param storage of the job on this TaskManager
     */
    public static void giveOnce(Environment env, StateChangelogStorage<?> storage) {
        synchronized (REPORTED) {
            if (!REPORTED.add(storage)) {
                return;
            }
        }
        JobID job = env.getJobID();
        OptionReport report = new OptionReport();
        try {
            new JobOptions(env).check(report);
        } catch (RuntimeException e) {
            LOG.warn("Job {}: not all of its options could be looked at", job, shown(e, env));
        }
        report.warnings().forEach(warning -> LOG.warn("Job {}: {}", job, warning));
    }

    private static Throwable shown(RuntimeException e, Environment env) {
        return Redaction.of(env.getTaskManagerInfo().getConfiguration())
                .failure(Redaction.of(env.getJobConfiguration()).failure(e));
    }
}
