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

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** {@link MyOperation} as a Thrift struct: written by hand, see {@link ThriftPojo}. */
final class ThriftOperation {
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
