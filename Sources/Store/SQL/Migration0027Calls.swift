/// Calls.
///
/// - `message.call`: for a message of kind *call*, what is left of the call (`CallRecord.stored`).
/// - `call_state`: one row for each call that is not over, or was a moment ago. PeerProtocol gives its bytes their
///   meaning. With them a daemon that was killed during a call finds the call again.
enum Migration0027Calls {
    static let sql = """
        ALTER TABLE message ADD COLUMN call TEXT;
        CREATE INDEX message_call ON message (number) WHERE kind = 2;
        CREATE INDEX message_missed ON message (conversation) WHERE kind = 2 AND unread = 1;
        CREATE TABLE call_state (id BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID, STRICT;
        """
}
