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
 * Runs the uploads of one task in turn, and the flushes ahead of them, on threads that the task
 * shares with other tasks.
 *
 * <p><b>Threading.</b> Any thread; no method waits. An upload may begin before {@link #submit} has
 * returned, and never runs under a lock.
 */
@FunctionalInterface
public interface UploadLane {

    /**
     * Runs the upload once, as soon as there is room.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the task ends, so that the lane
     *     takes no more uploads
     * @throws FullException if there is no room for it, now and for some time
     */
    Ticket submit(Runnable upload);

    /**
     * Creates a turn, which a materialization needs before it begins. By default each turn begins
     * at once.
     *
     * @param urgency the highest goes first; called on any thread; returns at once
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

    /** The turn of one materialization, from asking for it to its end. */
    interface Turn {

        /**
         * Asks for the turn and returns at once. When the turn has come, {@code begins} runs, and
         * the task has a short time to {@link #claim} the turn. Otherwise the turn goes to another
         * task, and this task may ask again.
         *
         * @param begins run once when the turn has come, unless the turn {@link #end}s before; by
         *     any thread, possibly before this method has returned
         * @throws IllegalStateException if the turn was asked for, and has neither ended nor gone
         *     to another task
         */
        void await(Runnable begins);

        /**
         * The task uses its turn: the turn stays its own until it {@link #end}s, or until another
         * claim is expected.
         *
         * @return false if the turn has ended, or has gone to another task since it was not claimed
         *     in time. The task may await it again, and then has longer to claim it
         */
        boolean claim();

        /** The task has to claim the turn again. Has no effect if the turn is not claimed. */
        void expectClaim();

        /**
         * Lets the next turn begin. A turn that has not come yet never comes. Has no effect when
         * called again.
         */
        void end();
    }

    /**
     * There is no room, since too many uploads that were given up still hang. The upload itself has
     * not failed and may be tried again later. The message has the reason and the remedy.
     */
    final class FullException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public FullException(String message) {
            super(message);
        }
    }

    /** A submitted upload. */
    @FunctionalInterface
    interface Ticket {

        /**
         * Nobody waits for the upload any more, and its room is free from now on. An upload that
         * has not begun never begins. One that runs is interrupted, as nothing else can be done to
         * a thread that hangs. Has no effect if the upload has ended.
         */
        void giveUp();
    }
}
