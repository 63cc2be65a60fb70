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
package io.dstl.fs.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterMarkTest {

    private static final int MARK = ClusterMark.of(new Path("s3://bucket/flink/checkpoints"));

    private static UUID uuid(Random random) {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return UUID.nameUUIDFromBytes(bytes);
    }

    @Test
    void isReadBackFromANameThatStillHasAnIndex() {
        Random random = new Random(5);
        for (int i = 0; i < 100; i++) {
            String name = ClusterMark.put(SegmentName.indexed(uuid(random)), MARK);

            assertThat(ClusterMark.in(name)).hasValue(MARK);
            assertThat(SegmentName.isIndexed(new FileStateHandle(new Path("/log/" + name), 1)))
                    .isTrue();
        }
    }

    @Test
    void isInNoNameThatIsLeftToChance() {
        Random random = new Random(6);
        for (int i = 0; i < 100; i++) {
            assertThat(ClusterMark.in(SegmentName.indexed(uuid(random)))).isEmpty();
            String ofFlink = ClusterMark.put(SegmentName.indexed(uuid(random)), MARK);
            assertThat(ClusterMark.in(ofFlink.substring(0, 14) + '4' + ofFlink.substring(15)))
                    .isEmpty();
        }
    }

    /** One random name in 65,536 looks as if it had one. */
    @Test
    void isInNoNameThatIsToHaveNone() {
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            String plain = SegmentName.indexed(uuid(random));
            String byChance = ClusterMark.put(plain, random.nextInt());

            String name = ClusterMark.without(byChance);

            assertThat(ClusterMark.in(name)).isEmpty();
            assertThat(name).startsWith(plain.substring(0, 24)).hasSameSizeAs(plain);
            assertThat(SegmentName.isIndexed(new FileStateHandle(new Path("/log/" + name), 1)))
                    .isTrue();
            assertThat(ClusterMark.without(plain)).isEqualTo(plain);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://bucket/flink/checkpoints/",
                "s3a://bucket/flink/checkpoints",
                "s3p://key:secret@bucket/flink/checkpoints",
                "s3://bucket:9000/flink/checkpoints",
                "s3://bucket/_entropy_/flink/checkpoints",
            })
    void isTheSameForEachSpellingOfADirectory(String spelling) {
        Configuration config = new Configuration();
        config.setString("s3.entropy.key", "_entropy_");
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, spelling);

        assertThat(ClusterMark.of(config)).hasValue(MARK);
    }

    @Test
    void isTheSameWithASlashAtItsEnd() {
        Path directory = new Path(URI.create("s3://bucket/flink/checkpoints/"));
        assertThat(ClusterMark.of(directory)).isEqualTo(MARK);
    }

    @Test
    void isAnotherForAnotherDirectoryAndNoneWithout() {
        assertThat(ClusterMark.of(new Path("s3://bucket/flink/checkpoints-2"))).isNotEqualTo(MARK);
        assertThat(ClusterMark.of(new Path("s3://other/flink/checkpoints"))).isNotEqualTo(MARK);
        assertThat(ClusterMark.of(new Configuration())).isEmpty();
    }

    @Test
    void isAnotherForAnotherContainerOfAzure() {
        Path directory = new Path("abfss://prod@account.dfs.core.windows.net/checkpoints");
        assertThat(ClusterMark.of(directory))
                .isNotEqualTo(
                        ClusterMark.of(
                                new Path("abfss://test@account.dfs.core.windows.net/checkpoints")))
                .isEqualTo(
                        ClusterMark.of(
                                new Path("abfs://prod@account.dfs.core.windows.net/checkpoints")));
    }

    /** Two NameNodes may have a directory of that spelling. */
    @Test
    void hasTheAuthorityOfTheFileSystem() {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "hdfs:///checkpoints");
        Path spelled = new Path("hdfs:///checkpoints");
        Path qualified = new Path("hdfs://node:8020/checkpoints");

        assertThat(ClusterMark.of(config, path -> qualified)).hasValue(ClusterMark.of(qualified));
        assertThat(ClusterMark.of(qualified)).isNotEqualTo(ClusterMark.of(spelled));
        assertThat(
                        ClusterMark.of(
                                config,
                                path -> {
                                    throw new IOException("no such file system");
                                }))
                .hasValue(ClusterMark.of(spelled));
    }
}
