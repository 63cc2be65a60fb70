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

import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.Test;

class SegmentNameTest {
    private static final String JOB = "0123456789abcdef0123456789abcdef";

    @Test
    void isTheSameInEverySpellingOfTheStore() {
        SegmentName name = new SegmentName(JOB, "5f0c");
        assertThat(SegmentName.of(new Path("s3://bucket/log/" + JOB + "/dstl/5f0c")))
                .contains(name);
        assertThat(SegmentName.of(new Path("s3a://key:secret@bucket/x1y2/" + JOB + "/dstl/5f0c")))
                .contains(name);
        assertThat(SegmentName.of(new Path("/mnt/log/" + JOB + "/dstl/5f0c"))).contains(name);
    }

    @Test
    void isNothingElse() {
        assertThat(SegmentName.of(new Path("/log/" + JOB + "/dstl/deeper/5f0c"))).isEmpty();
        assertThat(SegmentName.of(new Path("/log/" + JOB + "/chk-1/_metadata"))).isEmpty();
        assertThat(SegmentName.of(new Path("/log/" + JOB + "/taskowned/5f0c"))).isEmpty();
        assertThat(SegmentName.of(new Path("/log/jobs/dstl/5f0c"))).isEmpty();
        assertThat(SegmentName.of(new Path("/log/a" + JOB + "/dstl/5f0c"))).isEmpty();
    }
}
