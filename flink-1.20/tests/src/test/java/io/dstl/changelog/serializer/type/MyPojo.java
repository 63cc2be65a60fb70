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

import java.util.Arrays;
import java.util.Objects;

/** A POJO to Flink: public or with getters and setters, nested, with arrays and a null. */
public class MyPojo {
    public int id;
    private String name;
    private String[] operationNames;
    private MyOperation[] operations;
    private int otherId;
    private String nothing;

    /** A POJO in the POJO. */
    public static class MyOperation {
        public int id;
        public String name;

        static MyOperation of(int id) {
            MyOperation operation = new MyOperation();
            operation.id = id;
            operation.name = "op-" + id;
            return operation;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof MyOperation
                    && id == ((MyOperation) other).id
                    && Objects.equals(name, ((MyOperation) other).name);
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    static MyPojo of(int id) {
        MyPojo pojo = new MyPojo();
        pojo.fill(id);
        return pojo;
    }

    final void fill(int number) {
        id = number;
        name = number % 3 == 0 ? null : "myName-" + number;
        operationNames = new String[] {"op1", "op" + number};
        operations = new MyOperation[] {MyOperation.of(number), MyOperation.of(-number)};
        otherId = number * 31;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public String[] getOperationNames() {
        return operationNames;
    }

    public void setOperationNames(String[] operationNames) {
        this.operationNames = operationNames;
    }

    public MyOperation[] getOperations() {
        return operations;
    }

    public void setOperations(MyOperation[] operations) {
        this.operations = operations;
    }

    public int getOtherId() {
        return otherId;
    }

    public void setOtherId(int otherId) {
        this.otherId = otherId;
    }

    public String getNothing() {
        return nothing;
    }

    public void setNothing(String nothing) {
        this.nothing = nothing;
    }

    @Override
    public boolean equals(Object other) {
        return other != null
                && other.getClass() == getClass()
                && id == ((MyPojo) other).id
                && Objects.equals(name, ((MyPojo) other).name)
                && Arrays.equals(operationNames, ((MyPojo) other).operationNames)
                && Arrays.equals(operations, ((MyPojo) other).operations)
                && otherId == ((MyPojo) other).otherId
                && Objects.equals(nothing, ((MyPojo) other).nothing);
    }

    @Override
    public int hashCode() {
        return id;
    }

    /** In a state of {@link MyPojo}: the serializer has to say which of the two it wrote. */
    public static final class MySpecialPojo extends MyPojo {
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
}
