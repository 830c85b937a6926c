/// The seventh step: a note remembers the device with LocalSend that gave it.
extension Schema {
    static let seventh = """
        -- What the device with LocalSend calls itself that gave the note; NULL for every other message.
        ALTER TABLE message ADD COLUMN guest TEXT;
        """
}
