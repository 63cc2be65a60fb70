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
package io.dstl.store.s3.config;

import io.dstl.store.s3.config.EnvironmentProxy.S3Environment;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names of regions: they become part of signatures, log lines and, on AWS, of host names. */
public final class Regions {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private static final Pattern ISOLATED = Pattern.compile("[a-z]{2}-iso[a-z]?-.*|eusc-.*");

    private Regions() {}

    /**
     * Whether it is of a partition of AWS whose hosts end neither in amazonaws.com nor in
     * amazonaws.com.cn.
     */
    public static boolean isIsolated(String region) {
        return ISOLATED.matcher(region).matches();
    }

    public static boolean isName(String region) {
        return NAME.matcher(region).matches();
    }

    /**
     * The region of the keys, if they name one.
     *
     * @throws UnsupportedS3Exception if that is no name of a region
     */
    public static Optional<String> configured(S3Keys keys) throws UnsupportedS3Exception {
        Optional<S3Keys.Entry> entry = keys.entry("endpoint.region", "region");
        return entry.isPresent()
                ? Optional.of(checked(entry.get().value(), entry.get().shown()))
                : Optional.empty();
    }

    /**
     * The region of an environment variable, without white space around it. Empty if the variable
     * is not set, or blank.
     *
     * @throws UnsupportedS3Exception if that is no name of a region
     */
    public static Optional<String> ofVariable(S3Environment environment, String name)
            throws UnsupportedS3Exception {
        String region = environment.variable(name).map(String::trim).orElse("");
        return region.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        checked(region, "the environment variable " + name + " is " + region));
    }

    private static String checked(String region, String origin) throws UnsupportedS3Exception {
        if (!isName(region)) {
            throw new UnsupportedS3Exception(
                    origin + ", which names no region", "Set it to a region such as eu-west-1");
        }
        return region;
    }
}
