/// The limits of the file of a backup, each with its unit and reason. A reader checks each before it takes memory.
public enum BackupLimits {
    /// The version of the file's form.
    public static let version: UInt16 = 1
    /// Bytes of the head: a keystore takes some 200.
    public static let headBytes = 8192
    /// Bytes of the box for the recovery key: a key, and what sealing adds.
    public static let recoveryBoxBytes = 80
    /// Bytes of one piece before it is sealed. All pieces but the last one have so many.
    public static let pieceBytes = 1 << 16
    /// Bytes of an entry with rows at which it is closed. It may be longer by one row.
    public static let rowsBytes = 1 << 16
    /// Bytes of any entry: no row has more than 8 MiB.
    public static let entryBytes = 16 << 20
    /// Bytes of a picture of a person: as many as the database takes for one.
    public static let pictureBytes = 256 << 10
    /// Tables, and columns of one: the schema has some forty, and the widest has as many columns.
    public static let tables = 256
    public static let columns = 256
    /// Bytes of the name of a table or a column, and of the text that names the software.
    public static let nameBytes = 64
    /// How hard the compressor works: more than this makes the file smaller by a few percent, and takes twice as long.
    static let compression: Int32 = 3
    /// The base-2 logarithm of the bytes that a reader keeps to unpack what comes (8 MiB).
    static let windowLog: Int32 = 23
}
