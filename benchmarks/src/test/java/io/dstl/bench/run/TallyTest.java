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
package io.dstl.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.run.Tally.Folder;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally =
            new Tally(
                    List.of(
                            request(RequestKind.PUT, "/bench/dstl/changelog/job/dstl/a"),
                            request(RequestKind.PUT, "/bench/dstl/changelog/job/dstl/a"),
                            request(RequestKind.PUT, "/bench/dstl/changelog/job/dstl/b"),
                            request(RequestKind.DELETE, "/bench/dstl/changelog/job/dstl/b"),
                            request(
                                    RequestKind.GET,
                                    "/bench/?prefix=dstl%2Fchangelog%2Fjob&max-keys=1"),
                            request(RequestKind.PUT, "/bench/dstl/checkpoints/job/chk-1/_metadata"),
                            request(RequestKind.POST, "/bench?delete")));

    @Test
    void aRequestBelongsToTheFolderItNamesOrLists() {
        assertThat(tally.in(Folder.LOG).count()).isEqualTo(5);
        assertThat(tally.in(Folder.CHECKPOINTS).count()).isEqualTo(1);
        assertThat(tally.in(Folder.OTHER).count(RequestKind.POST)).isEqualTo(1);
    }

    @Test
    void deletionsAreLeftOutWhereNoCheckpointWaitsForThem() {
        assertThat(tally.in(Folder.LOG).countKept()).isEqualTo(4);
    }

    @Test
    void theQuestionBeforeADeletionBelongsToIt() {
        Tally asked =
                new Tally(
                        List.of(
                                request(RequestKind.HEAD, "/bench/dstl/changelog/job/dstl/a"),
                                request(RequestKind.PUT, "/bench/dstl/changelog/job/dstl/a"),
                                request(RequestKind.HEAD, "/bench/dstl/changelog/job/dstl/a"),
                                request(RequestKind.HEAD, "/bench/dstl/changelog/job/dstl/b"),
                                request(RequestKind.DELETE, "/bench/dstl/changelog/job/dstl/a")));
        assertThat(asked.countKept()).isEqualTo(3);
    }

    @Test
    void aSecondPutOfAnObjectIsARepetition() {
        assertThat(tally.in(Folder.LOG).repeatedPuts()).isEqualTo(1);
        assertThat(tally.in(Folder.LOG).bytesPut()).isEqualTo(30);
    }

    private static ServedRequest request(RequestKind kind, String target) {
        return new ServedRequest(kind, target, 10, new Span(Instant.EPOCH, Duration.ZERO), 200);
    }
}
