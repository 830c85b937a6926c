/// Calls.
///
/// - `message.call`: of a message of kind *call*, what stays of it (`CallRecord.stored`).
/// - `call_state`: one row for each call that is not over, or was a moment ago. PeerProtocol gives its bytes their meaning; with them
///   a daemon that was killed in a call finds it again.
enum Migration0027Calls {
    static let sql = """
        ALTER TABLE message ADD COLUMN call TEXT;
        CREATE INDEX message_call ON message (number) WHERE kind = 2;
        CREATE INDEX message_missed ON message (conversation) WHERE kind = 2 AND unread = 1;
        CREATE TABLE call_state (id BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID, STRICT;
        """
}
