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

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/**
 * {@link MyPojo} as a Thrift struct.
 *
 * <p>Written by hand, as Thrift's compiler is a native program that no registry of libraries has:
 * it reads and writes what a generated class would. Fields are not to be had by their ids, which
 * serialization does not do.
 */
public final class ThriftPojo implements TBase<ThriftPojo, ThriftPojo.Field> {
    private static final long serialVersionUID = 1L;

    private static final TStruct STRUCT = new TStruct("ThriftPojo");

    /** The fields, in the order in which they are written. */
    public enum Field implements TFieldIdEnum {
        ID(TType.I32),
        NAME(TType.STRING),
        OPERATION_NAMES(TType.LIST),
        OPERATIONS(TType.LIST),
        OTHER_ID1(TType.I32),
        OTHER_ID2(TType.I32),
        OTHER_ID3(TType.I32),
        SOME_OBJECT(TType.STRING);

        private static final Field[] ALL = values();

        private final TField header;

        Field(byte type) {
            header = new TField(name(), type, (short) (ordinal() + 1));
        }

        @Override
        public short getThriftFieldId() {
            return header.id;
        }

        @Override
        public String getFieldName() {
            return header.name;
        }
    }

    private int id;
    private String name;
    private List<String> operationNames = List.of();
    private transient List<ThriftOperation> operations = List.of();
    private int otherId1;
    private int otherId2;
    private int otherId3;
    private String someObject;

    public static ThriftPojo of(MyPojo pojo) {
        ThriftPojo thrift = new ThriftPojo();
        thrift.id = pojo.id;
        thrift.name = pojo.getName();
        thrift.operationNames = List.of(pojo.getOperationNames());
        thrift.operations = new ArrayList<>();
        for (MyOperation operation : pojo.getOperations()) {
            thrift.operations.add(new ThriftOperation(operation.getId(), operation.getName()));
        }
        thrift.otherId1 = pojo.getOtherId1();
        thrift.otherId2 = pojo.getOtherId2();
        thrift.otherId3 = pojo.getOtherId3();
        thrift.someObject = String.valueOf(pojo.getSomeObject());
        return thrift;
    }

    public MyPojo toPojo() {
        MyPojo pojo = new MyPojo();
        pojo.id = id;
        pojo.setName(name);
        pojo.setOperationNames(operationNames.toArray(new String[0]));
        pojo.setOperations(
                operations.stream()
                        .map(operation -> new MyOperation(operation.id(), operation.name()))
                        .toArray(MyOperation[]::new));
        pojo.setOtherId1(otherId1);
        pojo.setOtherId2(otherId2);
        pojo.setOtherId3(otherId3);
        pojo.setSomeObject(someObject);
        return pojo;
    }

    @Override
    public void write(TProtocol out) throws TException {
        out.writeStructBegin(STRUCT);
        for (Field field : Field.ALL) {
            out.writeFieldBegin(field.header);
            write(field, out);
            out.writeFieldEnd();
        }
        out.writeFieldStop();
        out.writeStructEnd();
    }

    private void write(Field field, TProtocol out) throws TException {
        switch (field) {
            case ID:
                out.writeI32(id);
                break;
            case NAME:
                out.writeString(name);
                break;
            case OPERATION_NAMES:
                out.writeListBegin(new TList(TType.STRING, operationNames.size()));
                for (String operation : operationNames) {
                    out.writeString(operation);
                }
                out.writeListEnd();
                break;
            case OPERATIONS:
                out.writeListBegin(new TList(TType.STRUCT, operations.size()));
                for (ThriftOperation operation : operations) {
                    operation.write(out);
                }
                out.writeListEnd();
                break;
            case OTHER_ID1:
                out.writeI32(otherId1);
                break;
            case OTHER_ID2:
                out.writeI32(otherId2);
                break;
            case OTHER_ID3:
                out.writeI32(otherId3);
                break;
            case SOME_OBJECT:
                out.writeString(someObject);
                break;
        }
    }

    @Override
    public void read(TProtocol in) throws TException {
        in.readStructBegin();
        for (TField header = in.readFieldBegin();
                header.type != TType.STOP;
                header = in.readFieldBegin()) {
            if (header.id < 1 || header.id > Field.ALL.length) {
                TProtocolUtil.skip(in, header.type);
            } else {
                read(Field.ALL[header.id - 1], in);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
    }

    private void read(Field field, TProtocol in) throws TException {
        switch (field) {
            case ID:
                id = in.readI32();
                break;
            case NAME:
                name = in.readString();
                break;
            case OPERATION_NAMES:
                readOperationNames(in);
                break;
            case OPERATIONS:
                readOperations(in);
                break;
            case OTHER_ID1:
                otherId1 = in.readI32();
                break;
            case OTHER_ID2:
                otherId2 = in.readI32();
                break;
            case OTHER_ID3:
                otherId3 = in.readI32();
                break;
            case SOME_OBJECT:
                someObject = in.readString();
                break;
        }
    }

    private void readOperationNames(TProtocol in) throws TException {
        TList list = in.readListBegin();
        operationNames = new ArrayList<>(list.size);
        for (int i = 0; i < list.size; i++) {
            operationNames.add(in.readString());
        }
        in.readListEnd();
    }

    private void readOperations(TProtocol in) throws TException {
        TList list = in.readListBegin();
        operations = new ArrayList<>(list.size);
        for (int i = 0; i < list.size; i++) {
            ThriftOperation operation = new ThriftOperation();
            operation.read(in);
            operations.add(operation);
        }
        in.readListEnd();
    }

    @Override
    public ThriftPojo deepCopy() {
        return of(toPojo());
    }

    @Override
    public void clear() {
        id = 0;
        name = null;
        operationNames = List.of();
        operations = List.of();
        otherId1 = 0;
        otherId2 = 0;
        otherId3 = 0;
        someObject = null;
    }

    @Override
    public int compareTo(ThriftPojo other) {
        return Integer.compare(id, other.id);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ThriftPojo && ((ThriftPojo) other).id == id;
    }

    @Override
    public int hashCode() {
        return Objects.hash(id);
    }

    @Override
    public Field fieldForId(int fieldId) {
        return fieldId < 1 || fieldId > Field.ALL.length ? null : Field.ALL[fieldId - 1];
    }

    @Override
    public boolean isSet(Field field) {
        return true;
    }

    @Override
    public Object getFieldValue(Field field) {
        throw new UnsupportedOperationException("fields are not to be had one by one");
    }

    @Override
    public void setFieldValue(Field field, Object value) {
        throw new UnsupportedOperationException("fields are not to be had one by one");
    }

    /** {@link MyOperation} as a Thrift struct: written by hand, see {@link ThriftPojo}. */
    static final class ThriftOperation {
        private static final TStruct STRUCT = new TStruct("ThriftOperation");
        private static final TField ID = new TField("id", TType.I32, (short) 1);
        private static final TField NAME = new TField("name", TType.STRING, (short) 2);

        private int id;
        private String name;

        ThriftOperation() {}

        ThriftOperation(int id, String name) {
            this.id = id;
            this.name = name;
        }

        int id() {
            return id;
        }

        String name() {
            return name;
        }

        void read(TProtocol in) throws TException {
            in.readStructBegin();
            for (TField field = in.readFieldBegin();
                    field.type != TType.STOP;
                    field = in.readFieldBegin()) {
                if (field.id == ID.id) {
                    id = in.readI32();
                } else if (field.id == NAME.id) {
                    name = in.readString();
                } else {
                    TProtocolUtil.skip(in, field.type);
                }
                in.readFieldEnd();
            }
            in.readStructEnd();
        }

        void write(TProtocol out) throws TException {
            out.writeStructBegin(STRUCT);
            out.writeFieldBegin(ID);
            out.writeI32(id);
            out.writeFieldEnd();
            out.writeFieldBegin(NAME);
            out.writeString(name);
            out.writeFieldEnd();
            out.writeFieldStop();
            out.writeStructEnd();
        }
    }
}
