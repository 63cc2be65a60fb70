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
package io.dstl.bench.type;

import java.nio.charset.StandardCharsets;

/**
 * A trade as it comes from an exchange, kept as the line of fixed width that it came in; a field is
 * cut out when it is asked for. Flink serializes it as a POJO of one byte array.
 */
public class Tick {
    private static final int DATE = 0;
    private static final int SYMBOL = 10;
    private static final int PRICE = 16;
    private static final int VOLUME = 26;
    private static final int END = 39;

    private byte[] data;

    /** For Flink. */
    public Tick() {}

    /**
     * @param data the line, which this keeps
     */
    public Tick(byte[] data) {
        this.data = data;
    }

    public byte[] getData() {
        return data;
    }

    public void setData(byte[] data) {
        this.data = data;
    }

    public String date() {
        return field(DATE, SYMBOL - 1);
    }

    public String symbol() {
        return field(SYMBOL, PRICE);
    }

    public String price() {
        return field(PRICE, VOLUME);
    }

    public String volume() {
        return field(VOLUME, END);
    }

    private String field(int from, int to) {
        return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** A trade with its fields apart. */
    public static class TickPojo {
        private String date;
        private String symbol;
        private String price;
        private String volume;

        /** For Flink. */
        public TickPojo() {}

        /** Takes the fields out of the line. */
        public static TickPojo of(Tick tick) {
            TickPojo pojo = new TickPojo();
            pojo.date = tick.date();
            pojo.symbol = tick.symbol();
            pojo.price = tick.price();
            pojo.volume = tick.volume();
            return pojo;
        }

        public String getDate() {
            return date;
        }

        public void setDate(String date) {
            this.date = date;
        }

        public String getSymbol() {
            return symbol;
        }

        public void setSymbol(String symbol) {
            this.symbol = symbol;
        }

        public String getPrice() {
            return price;
        }

        public void setPrice(String price) {
            this.price = price;
        }

        public String getVolume() {
            return volume;
        }

        public void setVolume(String volume) {
            this.volume = volume;
        }
    }
}
