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
package io.dstl.changelog.serializer.type;

/** In a state of {@link MyPojo}: the serializer has to say which of the two it wrote. */
public final class MySpecialPojo extends MyPojo {

    public double weight;

    /** Of odd numbers only. */
    static MyPojo orPlain(int number) {
        if (number % 2 == 0) {
            return MyPojo.of(number);
        }
        MySpecialPojo pojo = new MySpecialPojo();
        pojo.fill(number);
        pojo.weight = number / 4.0;
        return pojo;
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other) && weight == ((MySpecialPojo) other).weight;
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
