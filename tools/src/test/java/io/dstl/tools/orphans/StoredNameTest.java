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

import java.util.List;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredNameTest {
    private static final String JOB = "0123456789abcdef0123456789abcdef";

    private static final String UUID = "5f0c1b72-5f19-494d-83d5-24c08f50ba22";

    private static StoredName name(String path) {
        return StoredName.of(new Path(path)).orElseThrow();
    }

    @Test
    void isTheSameInEverySpellingOfTheStore() {
        StoredName name = name("s3://bucket/log/" + JOB + "/dstl/" + UUID);
        assertThat(name("s3a://key:secret@bucket/x1y2/" + JOB + "/dstl/" + UUID)).isEqualTo(name);
        assertThat(name("/mnt/log/" + JOB + "/dstl/" + UUID)).isEqualTo(name);
        assertThat(name("/mnt/log/" + JOB + "/shared/" + UUID)).isNotEqualTo(name);
    }

    @Test
    void isThatOfASegmentOrOfAStateFile() {
        assertThat(name("/log/" + JOB + "/dstl/" + UUID).isSegment()).isTrue();
        for (String directory : List.of("shared", "taskowned", "chk-17")) {
            assertThat(name("/c/" + JOB + "/" + directory + "/" + UUID).isSegment()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/log/" + JOB + "/dstl/deeper/" + UUID,
                "/log/" + JOB + "/chk-1/_metadata",
                "/log/" + JOB + "/other/" + UUID,
                "/log/jobs/dstl/" + UUID,
                "/log/a" + JOB + "/dstl/" + UUID,
                "/log/" + JOB + "/dstl/notes.txt",
                "/log/" + JOB + "/dstl/" + UUID + ".backup",
                "/log/" + JOB + "/dstl/5F0C1B72-5F19-494D-83D5-24C08F50BA22",
                "/log/" + JOB + "/dstl/5f0c1b725f19494d83d524c08f50ba22",
                "/log/" + JOB + "/dstl/..",
            })
    void isNothingElse(String path) {
        assertThat(StoredName.of(new Path(path))).isEmpty();
    }
}
