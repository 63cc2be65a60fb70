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

import io.dstl.fs.option.DownloadSettings;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one view: those that download, which end when there is nothing to restore any
 * more, and one that keeps time.
 */
final class DownloadThreads implements AutoCloseable {

    private static final long KEEP_ALIVE_SECONDS = 10;

    private final ThreadPoolExecutor downloads;
    private final ScheduledExecutorService timer = StorageThreads.timer("dstl-download-timer");

    DownloadThreads(DownloadSettings settings) {
        this.downloads =
                new ThreadPoolExecutor(
                        settings.threads(),
                        settings.threads(),
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new DaemonThreads("dstl-download"));
        downloads.allowCoreThreadTimeOut(true);
    }

    Executor downloads() {
        return downloads;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    /** Interrupts downloads that run; waits for nothing. */
    @Override
    public void close() {
        timer.shutdownNow();
        downloads.shutdownNow();
    }
}
