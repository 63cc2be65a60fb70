package io.dstl.e2e.chaos;

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
                        "\0s3://dstl/" + SEGMENT + "\0\1s3://dstl/" + SHARED + "\0\3own\0");
        assertThat(audit.leftOver()).isEmpty();
        assertThat(audit.missing()).isEmpty();
        assertThat(audit.retained()).containsExactly("s3://dstl/chaos/checkpoints/" + JOB + "/chk-7");
    }

    @Test
    void whatNobodyNamesIsLeftOver() {
        String other = "chaos/checkpoints/" + JOB + "/chk-8/own";
        BucketAudit audit = audit(Set.of(METADATA, SEGMENT, SHARED, other), "\0s3://dstl/" + SEGMENT);
        assertThat(audit.leftOver()).containsExactlyInAnyOrder(SHARED, other);
    }

    @Test
    void whatIsNamedAndGoneIsMissing() {
        BucketAudit audit = audit(Set.of(METADATA), "\0s3://dstl/" + SEGMENT + "\0");
        assertThat(audit.missing()).containsExactly(SEGMENT);
    }

    @Test
    void theNameOfADirectoryIsNoFile() {
        BucketAudit audit = audit(Set.of(METADATA), "\0s3://dstl/chaos/checkpoints/" + JOB + "\0");
        assertThat(audit.missing()).isEmpty();
    }

    @Test
    void jobsAreKnownByWhatIsThereOfThem() {
        String other = "f".repeat(32);
        BucketAudit audit = audit(Set.of(METADATA, "chaos/changelog/" + other + "/dstl/1"), "");
        assertThat(audit.knows(JOB)).isTrue();
        assertThat(audit.retains(JOB)).isTrue();
        assertThat(audit.knows(other)).isTrue();
        assertThat(audit.retains(other)).isFalse();
        assertThat(audit.knows("e".repeat(32))).isFalse();
    }

    private static BucketAudit audit(Set<String> stored, String metadata) {
        return BucketAudit.of(
                "chaos", stored, Map.of(METADATA, metadata.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
