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
package io.dstl.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BucketAuditTest {
    private static final String JOB = "0123456789abcdef0123456789abcdef";
    private static final String CHECKPOINT = "chaos/checkpoints/" + JOB + "/chk-7/";
    private static final String METADATA = CHECKPOINT + "_metadata";
    private static final String SEGMENT = "chaos/changelog/" + JOB + "/dstl/1a2b-3c";
    private static final String SHARED = "chaos/checkpoints/" + JOB + "/shared/4d5e";

    @Test
    void whatTheMetadataNamesIsReferredTo() {
        BucketAudit audit =
                audit(
                        Set.of(METADATA, SEGMENT, SHARED, CHECKPOINT + "own"),
                        file(SEGMENT) + file(SHARED) + "\3own\0");
        assertThat(audit.leftOver()).isEmpty();
        assertThat(audit.missing()).isEmpty();
        assertThat(audit.retained())
                .containsExactly("s3://dstl/chaos/checkpoints/" + JOB + "/chk-7");
    }

    @Test
    void whatNobodyNamesIsLeftOver() {
        String other = "chaos/checkpoints/" + JOB + "/chk-8/own";
        BucketAudit audit = audit(Set.of(METADATA, SEGMENT, SHARED, other), file(SEGMENT));
        assertThat(audit.leftOver()).containsExactlyInAnyOrder(SHARED, other);
    }

    @Test
    void whatIsNamedAndGoneIsMissing() {
        BucketAudit audit = audit(Set.of(METADATA), file(SEGMENT));
        assertThat(audit.missing()).containsExactly(SEGMENT);
    }

    @Test
    void stateWithinTheMetadataHasANameAndNoFile() {
        String within = CHECKPOINT + "5f6a";
        BucketAudit audit =
                audit(Set.of(METADATA), "000012.sst\1" + text("s3://dstl/" + within) + "\0\0\0\1x");
        assertThat(audit.missing()).isEmpty();
    }

    @Test
    void jobsAreKnownByWhatIsThereOfThem() {
        String other = "f".repeat(32);
        BucketAudit audit = audit(Set.of(METADATA, "chaos/changelog/" + other + "/dstl/1"), "");
        assertThat(audit.knows(JOB)).isTrue();
        assertThat(audit.knows(other)).isTrue();
        assertThat(audit.knows("e".repeat(32))).isFalse();
    }

    /** As a checkpoint's metadata refers to a file of 258 bytes. */
    private static String file(String key) {
        return "\2\0\0\0\0\0\0\1\2" + text("s3://dstl/" + key);
    }

    private static String text(String text) {
        return "" + (char) 0 + (char) text.length() + text;
    }

    private static BucketAudit audit(Set<String> stored, String metadata) {
        return BucketAudit.of(
                "chaos", stored, Map.of(METADATA, metadata.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
