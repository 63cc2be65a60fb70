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

/** A trade with its fields apart. */
public class TickPojo {
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
