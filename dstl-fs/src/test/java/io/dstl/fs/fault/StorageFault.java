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
package io.dstl.fs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.option.DstlOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * What goes wrong in Flink 1.20.5's own storage and must not in ours, each told as what should
 * happen instead. Numbered as in {@code docs/faults.md}.
 */
enum StorageFault {

    /** 1 */
    ONE_FAILED_UPLOAD_FAILS_EVERY_LATER_PERSIST {
        @Override
        void lookFor(Stage stage) throws Exception {
            CountDownLatch allAttempts =
                    new CountDownLatch(DstlOptions.RETRY_MAX_ATTEMPTS.defaultValue());
            stage.trouble.failCreates(
                    number -> {
                        allAttempts.countDown();
                        return true;
                    });
            stage.append(1);
            stage.persist(1);
            allAttempts.await();
            stage.mailbox.runAll();
            stage.trouble.failCreates(number -> false);
            stage.append(2);
            ChangelogStateHandleStreamImpl later;
            try {
                later = stage.stored(stage.persist(2));
            } catch (Exception e) {
                throw new AssertionError("the store is back, and a persist fails", e);
            }
            assertThat(stage.read(later)).containsExactly("3:[1]", "3:[2]");
        }
    },

    /** 2 */
    THE_FIRST_ERROR_OF_AN_ATTEMPT_FAILS_THE_CHECKPOINT {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.trouble.failCreates(number -> number == 0);
            stage.append(1);
            CompletableFuture<?> persist = stage.persist(1);
            stage.mailbox.awaitEnd(persist);
            assertThat(persist).isNotCompletedExceptionally();
        }
    },

    /** 3 */
    TRUNCATION_DELETES_WHAT_A_CHECKPOINT_IN_FLIGHT_REFERS_TO {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.append(1);
            ChangelogStateHandleStreamImpl handle = stage.stored(stage.persist(1));
            stage.writer.truncate(stage.writer.nextSequenceNumber());
            stage.settle();
            for (Tuple2<StreamStateHandle, Long> segment : handle.getHandlesAndOffsets()) {
                FileStateHandle file = (FileStateHandle) segment.f0;
                assertThat(file.getFilePath().getFileSystem().exists(file.getFilePath()))
                        .as("exists: %s", file)
                        .isTrue();
            }
        }
    },

    /** 4 */
    AN_APPEND_AFTER_CLOSE_IS_DROPPED {
        @Override
        void lookFor(Stage stage) {
            stage.closeWriter();
            assertThatThrownBy(() -> stage.append(1)).isInstanceOf(IllegalStateException.class);
        }
    },

    /** 5 */
    AN_ERROR_IN_AN_UPLOAD_THREAD_COMPLETES_NOBODY {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.trouble.throwOnCreate(new NoClassDefFoundError("injected"));
            stage.append(1);
            CompletableFuture<?> persist = stage.persist(1);
            stage.ended(persist);
        }
    },

    /** 7 */
    A_FAILED_DOWNLOAD_LEAVES_FILES_AND_STREAMS {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.append(new int[10_000]);
            ChangelogStateHandleStreamImpl handle = stage.stored(stage.persist(1));
            stage.trouble.breakReadsAfter(5_000);
            assertThatThrownBy(() -> stage.read(handle)).hasStackTraceContaining("injected");
            assertThat(stage.trouble.openStreams()).as("open streams").isZero();
            assertThat(stage.temporaryFiles()).isEmpty();
        }
    },

    /** 10 */
    BACKPRESSURE_HOLDS_UP_THE_TASK_THREAD {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.trouble.hang();
            stage.append(new int[2_000]);
            CompletableFuture<?> first = stage.persist(1);
            CompletableFuture<?> second =
                    stage.onTaskThread(
                            () -> {
                                stage.append(new int[2_000]);
                                return stage.persist(2);
                            });
            assertThat(stage.takesRecords()).isFalse();
            stage.trouble.goOn();
            stage.mailbox.await(first);
            stage.mailbox.await(second);
        }
    },

    /** 11 */
    THE_RESULT_OF_AN_UPLOAD_WAITS_FOR_THE_TASK {
        @Override
        void lookFor(Stage stage) throws Exception {
            stage.append(1);
            stage.ended(stage.persist(1));
        }
    };

    /** Fails with an {@link AssertionError} if the storage has the fault. */
    abstract void lookFor(Stage stage) throws Exception;
}
