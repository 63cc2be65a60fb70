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
package io.dstl.materializer;

import java.util.function.LongSupplier;

/**
 * Where the uploads of one task run: on threads that it shares with other tasks, and in turn.
 *
 * <p><b>Threading.</b> Any thread; no method waits. An upload may begin before {@link #submit} has
 * returned, and never runs under a lock.
 */
@FunctionalInterface
public interface UploadLane {

    /**
     * Runs the upload once, as soon as there is room.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the lane takes nothing any more,
     *     as the task ends
     * @throws FullException if there is no room for it, now and for some time
     */
    Ticket submit(Runnable upload);

    /**
     * A turn, to be taken before a materialization begins. It begins at once where there are turns
     * for all.
     *
     * @param urgency the higher goes first; asked by any thread; returns at once
     */
    default Turn turn(LongSupplier urgency) {
        return new Turn() {
            @Override
            public void await(Runnable begins) {
                begins.run();
            }

            @Override
            public boolean claim() {
                return true;
            }

            @Override
            public void expectClaim() {}

            @Override
            public void end() {}
        };
    }

    /** The turn of one materialization: it waits for it, and then has it until its end. */
    interface Turn {

        /**
         * Asks for the turn, and returns at once. When the turn has come, {@code begins} is run,
         * and the task has a short time to {@link #claim} it. If it does not, the turn goes to
         * another task, and may be asked for again.
         *
         * @param begins run once, when the turn has come, unless that {@link #end}s before; by any
         *     thread, possibly before this method has returned
         * @throws IllegalStateException if it has been asked for, and has neither ended nor gone to
         *     another task
         */
        void await(Runnable begins);

        /**
         * The task is at work: the turn is its own until it {@link #end}s, or a claim is expected
         * again.
         *
         * @return false if the turn has gone to another one, as the task did not come to it in
         *     time, or as it ended. It may be awaited again, and then it is waited for longer
         */
        boolean claim();

        /** What comes next is for the task's own thread. Without effect if the turn is not had. */
        void expectClaim();

        /**
         * The next may go. One that has not come yet never does. Without effect if it was called
         * before.
         */
        void end();
    }

    /**
     * There is no room, as too much of what was given up still hangs. It is no failure of the
     * upload, which may be tried again later. The message has the reason and the remedy.
     */
    final class FullException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public FullException(String message) {
            super(message);
        }
    }

    /** An upload that was submitted. */
    @FunctionalInterface
    interface Ticket {

        /**
         * Nobody waits for the upload any more, and its room is another's from now on. One that has
         * not begun never begins. One that runs is interrupted; nothing else can be done to a
         * thread that hangs. Without effect if the upload has ended.
         */
        void giveUp();
    }
}
