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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.replay.LogSource;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryStateChangelogStorage;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.SupplierWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the logs of a checkpoint through the storage that each handle names. Flink provides a task
 * with one view per job and TaskManager, so that tasks share downloads. It is of the storage of the
 * first handle that any task of the job has asked with. A handle of another storage gets a view of
 * this source's own: after a change of {@code state.changelog.storage}.
 *
 * <p>The State Processor API provides no view. This source owns those that it loads, and closes
 * them.
 *
 * <p>Threading: one thread at a time: the task thread or, between an announcement and its end, the
 * thread that reads ahead. One that the logs' beginnings are read from is for the thread that
 * replays.
 */
final class TaskLogSource implements LogSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskLogSource.class);

    private final Environment env;
    private final Map<String, StateChangelogStorageView<?>> views = new HashMap<>();
    private final List<StateChangelogStorageView<?>> own = new ArrayList<>();

    TaskLogSource(Environment env) {
        this.env = requireNonNull(env);
    }

    @Override
    public CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups)
            throws IOException {
        StateChangelogHandleReader<?> reader = view(log).createReader();
        return isOurs(reader, log)
                ? ((ChangeReader) reader)
                        .getChanges((ChangelogStateHandleStreamImpl) log, keyGroups)
                : read(reader, log);
    }

    private static boolean isOurs(StateChangelogHandleReader<?> reader, ChangelogStateHandle log) {
        return reader instanceof ChangeReader && log instanceof ChangelogStateHandleStreamImpl;
    }

    /** A part whose storage is missing fails when it is opened, not here. */
    @Override
    public Ahead announce(List<LogSource.Part> parts) {
        Map<StateChangelogStorageView<?>, List<SetRequest>> byView = new LinkedHashMap<>();
        for (LogSource.Part part : parts) {
            addRequests(part, byView);
        }
        List<FetchAhead> fetches = new ArrayList<>();
        byView.forEach(
                (view, sets) -> fetches.add(((ChangeReader) view.createReader()).fetchAhead(sets)));
        return new TaskAhead(fetches);
    }

    private void addRequests(
            LogSource.Part part, Map<StateChangelogStorageView<?>, List<SetRequest>> byView) {
        try {
            StateChangelogStorageView<?> view = view(part.log());
            if (isOurs(view.createReader(), part.log())) {
                byView.computeIfAbsent(view, any -> new ArrayList<>())
                        .addAll(
                                ChangeReader.requests(
                                        (ChangelogStateHandleStreamImpl) part.log(),
                                        part.keyGroups()));
            }
        } catch (IOException e) {
            LOG.debug("Not fetching a part of the log ahead", e);
        }
    }

    private StateChangelogStorageView<?> view(ChangelogStateHandle log) throws IOException {
        String storage = log.getStorageIdentifier();
        StateChangelogStorageView<?> view = views.get(storage);
        if (view == null) {
            view = newView(log);
            views.put(storage, view);
        }
        return view;
    }

    private StateChangelogStorageView<?> newView(ChangelogStateHandle log) throws IOException {
        Configuration ofProcess = env.getTaskManagerInfo().getConfiguration();
        StateChangelogStorageView<?> ofJob =
                found(
                        log,
                        () ->
                                env.getTaskStateManager()
                                        .getStateChangelogStorageView(ofProcess, log));
        if (ofJob != null && serves(ofJob, log)) {
            return ofJob;
        }
        Configuration configuration = ofJob == null ? ofFileSystems() : ofProcess;
        StateChangelogStorageView<?> loaded =
                found(
                        log,
                        () -> StateChangelogStorageLoader.loadFromStateHandle(configuration, log));
        own.add(loaded);
        return loaded;
    }

    /** Flink has two storages: a log in memory is in the handle itself. */
    private static boolean serves(StateChangelogStorageView<?> view, ChangelogStateHandle log) {
        return view instanceof InMemoryStateChangelogStorage
                == log instanceof InMemoryChangelogStateHandle;
    }

    /**
     * In place of the TaskManager's configuration, which the State Processor API does not pass on.
     * The view reads through Flink's file systems, which the process has set up with it.
     */
    private Configuration ofFileSystems() {
        Configuration configuration = new Configuration();
        DstlSettings.chooseFileSystems(configuration);
        configuration.set(
                CoreOptions.TMP_DIRS,
                String.join(File.pathSeparator, env.getIOManager().getSpillingDirectoriesPaths()));
        return configuration;
    }

    private static StateChangelogStorageView<?> found(
            ChangelogStateHandle log,
            SupplierWithException<StateChangelogStorageView<?>, IOException> view)
            throws IOException {
        try {
            return view.get();
        } catch (FlinkRuntimeException e) {
            throw new IOException(
                    "No changelog storage '"
                            + log.getStorageIdentifier()
                            + "' on this TaskManager, which the checkpoint's log was written by."
                            + " Put the jar that serves it into lib/ or plugins/.",
                    e);
        }
    }

    /** Deletes what was downloaded for this restore alone. */
    @Override
    public void close() {
        for (StateChangelogStorageView<?> view : own) {
            try {
                view.close();
            } catch (Exception e) {
                LOG.debug("A view of a changelog storage was not closed", e);
            }
        }
        own.clear();
        views.clear();
    }

    @SuppressWarnings("unchecked") // The handle chose the storage, so the storage takes it.
    private static <H extends ChangelogStateHandle> CloseableIterator<StateChange> read(
            StateChangelogHandleReader<H> reader, ChangelogStateHandle log) throws IOException {
        return reader.getChanges((H) log);
    }

    /** Fetches ahead through all views. */
    private static final class TaskAhead implements Ahead {
        private final List<FetchAhead> fetches;

        TaskAhead(List<FetchAhead> fetches) {
            this.fetches = fetches;
        }

        @Override
        public void done(ChangelogStateHandle log) {
            if (log instanceof ChangelogStateHandleStreamImpl) {
                ((ChangelogStateHandleStreamImpl) log)
                        .getHandlesAndOffsets()
                        .forEach(part -> fetches.forEach(fetch -> fetch.done(part.f0)));
            }
        }

        @Override
        public void close() {
            fetches.forEach(FetchAhead::close);
        }
    }
}
