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
package io.dstl.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.security.SecurityConfiguration;
import org.apache.flink.runtime.security.SecurityUtils;
import org.apache.flink.runtime.security.contexts.SecurityContext;
import org.apache.flink.runtime.security.contexts.SecurityContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a command's result and of its failures. */
class FlinkHomeTest {
    @TempDir Path home;

    private FlinkHome flink;

    @BeforeEach
    void aHomeWithALogin() throws IOException {
        Files.write(
                Files.createDirectories(home.resolve("conf")).resolve("flink-conf.yaml"),
                List.of(
                        "security.context.factory.classes: " + WrappingLogin.class.getName(),
                        "s3.secret-key: top-secret-key"));
        flink = new FlinkHome(Optional.of(home));
    }

    @AfterEach
    void logOut() throws Exception {
        SecurityUtils.install(new SecurityConfiguration(new Configuration()));
    }

    @Test
    void givesTheExitCodeOfTheCommand() throws CommandFailure {
        assertThat(flink.run(context -> () -> ExitCode.FINDINGS)).isEqualTo(ExitCode.FINDINGS);
    }

    @Test
    void aFailureOfTheCommandStaysAsItIsUnderALogin() {
        assertThatThrownBy(
                        () ->
                                flink.run(
                                        context ->
                                                () -> {
                                                    throw CommandFailure.usage("no such thing");
                                                }))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessage("no such thing");
    }

    @Test
    void aHomeWithoutAConfigurationCannotBeUsed() throws IOException {
        Files.delete(home.resolve("conf/flink-conf.yaml"));
        Files.delete(home.resolve("conf"));

        assertThatThrownBy(() -> flink.run(context -> () -> ExitCode.DONE))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining(home.resolve("conf").toString())
                .hasMessageContaining("--flink-home");
    }

    @Test
    void anyOtherFailureStopsItAndShowsNoSecret() {
        assertThatThrownBy(
                        () ->
                                flink.run(
                                        context ->
                                                () -> {
                                                    throw new IOException("with top-secret-key");
                                                }))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.STOPPED))
                .hasMessageStartingWith("Stopped: ")
                .hasMessageContaining("with ***");
    }

    /** Wraps what is thrown, as Hadoop's does. */
    public static final class WrappingLogin implements SecurityContextFactory {
        @Override
        public boolean isCompatibleWith(SecurityConfiguration configuration) {
            return true;
        }

        @Override
        public SecurityContext createContext(SecurityConfiguration configuration) {
            return new SecurityContext() {
                @Override
                public <T> T runSecured(Callable<T> work) throws Exception {
                    try {
                        return work.call();
                    } catch (IOException | RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new UndeclaredThrowableException(e);
                    }
                }
            };
        }
    }
}
