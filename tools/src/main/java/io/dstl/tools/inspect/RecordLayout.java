package io.dstl.tools.inspect;

/** Where the parts of a change's record are that all kinds of changes have. */
final class RecordLayout {
    /** Behind the op. */
    static final int STATE_ID_AT = 1;

    /** Behind the state id: the key and the namespace, or the elements of a queue. */
    static final int SCOPE_AT = STATE_ID_AT + Short.BYTES;

    /** What a change takes in a change set beside its record. */
    static final int FRAMING_BYTES = Integer.BYTES;

    private RecordLayout() {}
}
