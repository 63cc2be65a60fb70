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
package io.dstl.tools.orphans;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.secret.Redaction;
import io.dstl.tools.cli.Report;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class OrphansJsonTest extends OrphansCommandFixture {

    @Test
    void printsOneDocument() throws IOException {
        assertThat(run("--json")).isZero();

        JsonNode found = document();
        assertThat(found.at("/checkpoints/0/directory").asText())
                .isEqualTo("file:" + store.checkpoints());
        assertThat(found.at("/checkpoints/0/read").asInt()).isEqualTo(1);
        assertThat(found.path("segmentsReferredTo").asInt()).isEqualTo(2);
        assertThat(found.path("findings")).hasSize(1);
        assertThat(found.at("/findings/0/verdict").asText()).isEqualTo("orphan");
        assertThat(found.at("/findings/0/object").asText()).isEqualTo("file:" + segment("orphan"));
        assertThat(found.at("/findings/0/writtenAt").asText())
                .isEqualTo(Instant.ofEpochMilli(OLD).toString());
        assertThat(found.at("/findings/0/bytes").asInt()).isEqualTo(10);
        assertThat(found.path("complete").asBoolean()).isTrue();
        assertThat(found.path("jobs")).hasSize(2);
        assertThat(found.at("/jobs/0/job").asText()).isEqualTo(JOB);
        assertThat(found.at("/jobs/0/kind").asText()).isEqualTo("segments");
        assertCount(found.path("jobs").path(0), "referredTo", 2);
        assertCount(found.path("jobs").path(0), "tooYoung", 1);
        assertCount(found.path("jobs").path(0), "jobUnknown", 0);
        assertCount(found.path("jobs").path(0), "clusterUnknown", 0);
        assertCount(found.path("jobs").path(0), "orphans", 1);
        assertThat(found.at("/jobs/1/job").asText()).isEqualTo(OTHER);
        assertCount(found.path("jobs").path(1), "jobUnknown", 1);
        assertThat(found.path("unknownJobs").isArray()).isTrue();
        assertThat(found.path("unknownClusters").isArray()).isTrue();
        assertCount(found, "orphans", 1);
        assertThat(found.has("deleted")).isFalse();
        assertThat(store.segments(JOB)).contains("orphan");
    }

    @Test
    void saysWhatWasDeleted() throws IOException {
        Path target = Files.write(root.resolve("precious"), new byte[10]);
        Files.createSymbolicLink(segment("link"), target);
        assertThat(run("--json", "--delete")).isZero();

        JsonNode found = document();
        assertThat(found.path("findings")).hasSize(2);
        assertThat(found.at("/findings/0/verdict").asText()).isEqualTo("symbolic link");
        assertThat(found.at("/findings/0/object").asText()).isEqualTo("file:" + segment("link"));
        assertThat(found.at("/findings/1/verdict").asText()).isEqualTo("orphan");
        assertCount(found, "deleted", 1);
        assertCount(found, "kept", 0);
        assertCount(found, "notDeleted", 0);
        assertThat(store.segments(JOB)).doesNotContain("orphan");
    }

    @Test
    void isADocumentAlsoWhereTheSearchIsStopped() throws IOException {
        onceRead(() -> Files.write(store.checkpoint(OTHER, 8, NOW), new byte[1]));
        assertThat(run("--json", "--delete")).isEqualTo(3);

        assertThat(err.toString()).contains("Can't read the checkpoint");
        JsonNode found = document();
        assertThat(found.path("complete").asBoolean(true)).isFalse();
        assertCount(found, "orphans", 1);
        assertCount(found, "deleted", 0);
        assertThat(store.segments(JOB)).contains("orphan");
    }

    @Test
    void isADocumentAlsoWhereNoCheckpointCanBeRead() throws IOException {
        Files.write(store.checkpoint(OTHER, 8, NOW), new byte[1]);
        assertThat(run("--json", "--delete")).isEqualTo(3);

        assertThat(err.toString()).contains("Can't read the checkpoint");
        assertThat(document().path("complete").asBoolean(true)).isFalse();
    }

    @Test
    void namesTheClustersOfWhichNoCheckpointWasFound() throws IOException {
        store.segmentOf(root.resolve("checkpoints-of-another"), JOB, "theirs", OLD);
        assertThat(run("--json")).isEqualTo(3);

        JsonNode found = document();
        assertThat(found.path("complete").asBoolean()).isTrue();
        assertThat(found.path("unknownClusters")).hasSize(1);
        assertThat(found.at("/unknownClusters/0").asText()).matches(JOB + "/[0-9a-f]{8}");
        assertThat(err.toString()).contains(found.at("/unknownClusters/0").asText());
    }

    @Test
    void aFileThatWasNotDeletedIsAFindingWithoutSecrets() throws IOException {
        var path = new org.apache.flink.core.fs.Path(segment("orphan").toUri());
        FileStatus status = path.getFileSystem().getFileStatus(path);
        StoredFile orphan = new StoredFile(StoredName.of(path).orElseThrow(), status);
        Configuration secrets = new Configuration();
        secrets.setString("s3.secret-key", "MARKED-SECRET");
        OrphanFindings findings = new OrphanFindings();
        findings.failed().add(orphan.bytes);

        OrphanReport report =
                new OrphanReport(new Report(new PrintWriter(out), true), Redaction.of(secrets));
        report.checkpoints(new RetainedReferences(), List.of());
        report.failed(orphan, new IOException("denied to MARKED-SECRET"));
        report.sums(findings, true, true);

        JsonNode found = document();
        assertThat(found.at("/findings/0/verdict").asText()).isEqualTo("not deleted");
        assertThat(found.at("/findings/0/object").asText()).isEqualTo("file:" + segment("orphan"));
        assertThat(found.at("/findings/0/problem").asText()).endsWith("denied to ******");
        assertCount(found, "notDeleted", 1);
    }

    private Path segment(String name) {
        return store.log().resolve(JOB).resolve("dstl").resolve(store.uuid(name));
    }

    private JsonNode document() throws IOException {
        return new ObjectMapper().readTree(out.toString());
    }

    /** Each file of a test has 10 bytes. */
    private static void assertCount(JsonNode parent, String name, int files) {
        assertThat(parent.path(name).path("files").asInt(-1)).as(name).isEqualTo(files);
        assertThat(parent.path(name).path("bytes").asInt(-1)).as(name).isEqualTo(10 * files);
    }
}
