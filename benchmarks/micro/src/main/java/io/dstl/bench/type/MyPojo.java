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

/**
 * The record that Flink's blog measures serializers with ("Flink Serialization Tuning Vol. 1",
 * 2020-04-15): its fields, and in {@link #numbered} its content.
 */
public class MyPojo {
    public int id;
    private String name;
    private String[] operationNames;
    private MyOperation[] operations;
    private int otherId1;
    private int otherId2;
    private int otherId3;
    private Object someObject;

    /** The record of the blog, with that id. */
    public static MyPojo numbered(int id) {
        MyPojo pojo = new MyPojo();
        pojo.id = id;
        pojo.name = "myName";
        pojo.operationNames = new String[] {"op1", "op2", "op3", "op4"};
        pojo.operations =
                new MyOperation[] {
                    new MyOperation(1, "op1"), new MyOperation(2, "op2"), new MyOperation(3, "op3")
                };
        pojo.otherId1 = 1;
        pojo.otherId2 = 2;
        pojo.otherId3 = 3;
        pojo.someObject = "null";
        return pojo;
    }

    public int getId() {
        return id;
    }

    public void setId(int id) {
        this.id = id;
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

    public int getOtherId1() {
        return otherId1;
    }

    public void setOtherId1(int otherId1) {
        this.otherId1 = otherId1;
    }

    public int getOtherId2() {
        return otherId2;
    }

    public void setOtherId2(int otherId2) {
        this.otherId2 = otherId2;
    }

    public int getOtherId3() {
        return otherId3;
    }

    public void setOtherId3(int otherId3) {
        this.otherId3 = otherId3;
    }

    public Object getSomeObject() {
        return someObject;
    }

    public void setSomeObject(Object someObject) {
        this.someObject = someObject;
    }
}
