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
package io.dstl.store.s3;

import io.dstl.store.ClientChoice;
import io.dstl.store.StoreProvider;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** S3, and what speaks as it does. */
public final class S3Provider implements StoreProvider {

    @Override
    public boolean isOn(Path path) {
        return S3Object.isOn(path);
    }

    @Override
    public Decision decide(ClientChoice choice, Configuration config, Path path, FileSystem files) {
        return S3Decision.of(choice, config, path, files);
    }
}
