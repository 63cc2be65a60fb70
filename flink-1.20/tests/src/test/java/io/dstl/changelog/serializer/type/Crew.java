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

import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** As Thrift's compiler writes {@code struct Crew { 1: i32 number, 2: string captain }}. */
public final class Crew implements TBase<Crew, Crew.Part> {
    private static final long serialVersionUID = 1L;

    private static final TStruct STRUCT = new TStruct("Crew");

    /** The fields. */
    public enum Part implements TFieldIdEnum {
        NUMBER(1, "number", TType.I32),
        CAPTAIN(2, "captain", TType.STRING);

        private final TField field;

        Part(int id, String name, byte type) {
            this.field = new TField(name, type, (short) id);
        }

        @Override
        public short getThriftFieldId() {
            return field.id;
        }

        @Override
        public String getFieldName() {
            return field.name;
        }
    }

    private int number;
    private String captain;

    static Crew of(int number) {
        Crew crew = new Crew();
        crew.number = number;
        crew.captain = number % 5 == 0 ? null : "captain-" + number;
        return crew;
    }

    int number() {
        return number;
    }

    @Override
    public void write(TProtocol out) throws TException {
        out.writeStructBegin(STRUCT);
        out.writeFieldBegin(Part.NUMBER.field);
        out.writeI32(number);
        out.writeFieldEnd();
        if (captain != null) {
            out.writeFieldBegin(Part.CAPTAIN.field);
            out.writeString(captain);
            out.writeFieldEnd();
        }
        out.writeFieldStop();
        out.writeStructEnd();
    }

    @Override
    public void read(TProtocol in) throws TException {
        in.readStructBegin();
        for (TField field = in.readFieldBegin();
                field.type != TType.STOP;
                field = in.readFieldBegin()) {
            if (field.id == Part.NUMBER.getThriftFieldId()) {
                number = in.readI32();
            } else if (field.id == Part.CAPTAIN.getThriftFieldId()) {
                captain = in.readString();
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
    }

    @Override
    public Part fieldForId(int id) {
        for (Part part : Part.values()) {
            if (part.getThriftFieldId() == id) {
                return part;
            }
        }
        return null;
    }

    @Override
    public boolean isSet(Part part) {
        return getFieldValue(part) != null;
    }

    @Override
    public Object getFieldValue(Part part) {
        return part == Part.NUMBER ? (Object) number : captain;
    }

    @Override
    public void setFieldValue(Part part, Object value) {
        if (part == Part.NUMBER) {
            number = (Integer) value;
        } else {
            captain = (String) value;
        }
    }

    @Override
    public Crew deepCopy() {
        Crew copy = new Crew();
        copy.number = number;
        copy.captain = captain;
        return copy;
    }

    @Override
    public void clear() {
        number = 0;
        captain = null;
    }

    @Override
    public int compareTo(Crew other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Crew
                && number == ((Crew) other).number
                && (captain == null
                        ? ((Crew) other).captain == null
                        : captain.equals(((Crew) other).captain));
    }

    @Override
    public int hashCode() {
        return number;
    }
}
