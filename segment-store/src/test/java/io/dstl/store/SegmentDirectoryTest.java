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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.EntropyInjectingFileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.Test;

class SegmentDirectoryTest {

    private static final JobID JOB = new JobID(1, 2);

    /** As Flink's S3 file systems do. */
    private static final class Injecting extends LocalFileSystem
            implements EntropyInjectingFileSystem {

        @Override
        public String getEntropyInjectionKey() {
            return "_entropy_";
        }

        @Override
        public String generateEntropy() {
            return "12345";
        }
    }

    @Test
    void isBelowTheBaseAndTheJob() throws IOException {
        SegmentDirectory directory =
                SegmentDirectory.on(new LocalFileSystem(), new Path("file:///_entropy_/base"), JOB);

        assertThat(directory.file("one").toUri())
                .hasPath("/_entropy_/base/" + JOB.toHexString() + "/dstl/one");
    }

    @Test
    void takesTheMarkerAndTheLengthFromTheFileSystem() {
        SegmentDirectory directory =
                SegmentDirectory.on(new Injecting(), new Path("file:///a/_entropy_/b"), JOB);

        String path = directory.file("one").getPath();
        assertThat(path).matches("/a/[A-Za-z0-9]{5}/b/" + JOB.toHexString() + "/dstl/one");
        assertThat(directory.file("one").getPath()).isEqualTo(path);
        assertThat(directory.file("other").getPath()).doesNotContain(path.substring(3, 8));
    }

    @Test
    void leavesAPathWithoutTheMarkerAsItIs() {
        SegmentDirectory directory =
                SegmentDirectory.on(new Injecting(), new Path("file:///a/b"), JOB);

        assertThat(directory.file("one").getPath())
                .isEqualTo("/a/b/" + JOB.toHexString() + "/dstl/one");
    }
}
