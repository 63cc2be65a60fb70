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
package io.dstl.tools.sizing;

import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * What the store costs. The defaults are the list prices of S3 Standard in us-east-1, as of January
 * 2025; deletions are free there.
 */
final class Prices {
    private static final double SECONDS_PER_MONTH = 30 * 86_400;
    private static final double GB = 1e9;

    @Option(
            names = "--put-price",
            paramLabel = "USD",
            defaultValue = "0.005",
            description =
                    "Of 1,000 PUTs. Default: 0.005, S3 Standard in us-east-1 in January 2025, as"
                            + " the two below.")
    double put;

    @Option(
            names = "--get-price",
            paramLabel = "USD",
            defaultValue = "0.0004",
            description = "Of 1,000 GETs or HEADs. Default: 0.0004.")
    double get;

    @Option(
            names = "--storage-price",
            paramLabel = "USD",
            defaultValue = "0.023",
            description = "Of a GB for a month. Default: 0.023.")
    double storage;

    /** In dollars, of 30 days. */
    double putsPerMonth(double perSecond) {
        return perSecond * SECONDS_PER_MONTH * put / 1000;
    }

    /** In dollars, of 30 days; a HEAD costs as much as a GET. */
    double getsPerMonth(double perSecond) {
        return perSecond * SECONDS_PER_MONTH * get / 1000;
    }

    /** In dollars. */
    double storagePerMonth(double bytes) {
        return bytes / GB * storage;
    }

    /** What is wrong with it and how to put that right, in one line. */
    Optional<String> mistake() {
        return isPrice(put) && isPrice(get) && isPrice(storage)
                ? Optional.empty()
                : Optional.of(
                        "--put-price, --get-price and --storage-price are "
                                + put
                                + ", "
                                + get
                                + " and "
                                + storage
                                + ": give dollars, 0 to 1000000");
    }

    private static boolean isPrice(double dollars) {
        return dollars >= 0 && dollars <= 1e6;
    }
}
