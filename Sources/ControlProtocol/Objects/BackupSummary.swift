import Vocabulary

/// What is in a backup: one that was made, looked at or restored.
public struct BackupSummary: ContractObject {
    public var path = ""
    public var bytes: Int64 = 0
    public var madeAt: Int64 = 0
    public var account = ""
    public var displayName: String?
    public var software = ""
    public var schema: Int64 = 0
    /// Whether the account had a passphrase.
    public var hasPassphrase = false
    /// Whether the file has a passphrase of its own, and whether the account's recovery code opens it.
    public var takesPassphrase = false
    public var takesCode = false
    public var people: Int64 = 0
    public var conversations: Int64 = 0
    public var messages: Int64 = 0
    /// Rows that are there, and rows that the backup was made with.
    public var rows: Int64 = 0
    public var rowsAnnounced: Int64 = 0
    public var complete = false
    /// The byte of the file at which it is damaged or cut; nil if it is whole.
    public var damagedAt: Int64?

    public init(path: String) { self.path = path }

    public static let contractName = "Backup"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("path", &path, as: .path, "the file")
        try fields.field("bytes", &bytes, as: .bytes, "its size")
        try fields.field("madeAt", &madeAt, as: .time, "when it was made")
        try fields.field("account", &account, as: .account, "the account it is of")
        try fields.nullable("displayName", &displayName, as: .name, "their name, if it was read")
        try fields.field("software", &software, as: .line, "the program that made it")
        try fields.field("schema", &schema, as: .count, "the version of its database")
        try fields.field("hasPassphrase", &hasPassphrase, "whether a passphrase protected the account's keys")
        try fields.field("takesPassphrase", &takesPassphrase, "whether a passphrase of its own opens it")
        try fields.field("takesCode", &takesCode, "whether the account's recovery code opens it")
        try fields.field("people", &people, as: .count, "contacts that are in it")
        try fields.field("conversations", &conversations, as: .count, "conversations that are in it")
        try fields.field("messages", &messages, as: .count, "messages that are in it")
        try fields.field("rows", &rows, as: .count, "rows of all tables that are in it")
        try fields.field("rowsAnnounced", &rowsAnnounced, as: .count, "rows that it had when it was made")
        try fields.field("complete", &complete, "whether it is whole")
        try fields.nullable("damagedAt", &damagedAt, as: .bytes, "the byte at which it is damaged or cut off")
    }
}
