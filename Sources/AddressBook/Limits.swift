/// Limits for an address book's file, each with its unit and reason. Bytes that are not kept (pictures) count for
/// ``AddressBookLimits/fileBytes`` only, because they are read a piece at a time.
public enum AddressBookLimits {
    /// Bytes of a file: ten thousand people with a picture of 100 KiB each.
    public static let fileBytes: Int64 = 1 << 30
    /// People in one file, and in the address book: as many as a large company has.
    public static let cards = 50_000
    /// Bytes of all lines that are kept of a file. That is more than a kilobyte for each of 50,000 people.
    static let keptBytes = 64 << 20
    /// Bytes that a line counts beside its own: its cost in memory.
    static let lineCost = 64
    /// Bytes of one unfolded line whose value is read: a name has a few dozen.
    static let lineBytes = 16 << 10
    /// Bytes in front of a line's value: its name and parameters.
    static let headBytes = 2 << 10
    /// Bytes of a file within which its first card must begin; otherwise the file is no vCard.
    static let beginBytes = 64 << 10
    /// Lines of one card that are read: more than any person's card has.
    static let lines = 1_000
    /// Cards within cards (AGENT) that are followed to find their end.
    static let nesting = 64
    /// Telephone numbers, and e-mail addresses, of one person.
    public static let values = 32
    /// Characters, and bytes, of a name; a longer one is cut.
    public static let nameCharacters = 256
    static let nameBytes = 1_024
    /// Characters of a telephone number as it is written in a file.
    public static let phoneCharacters = 64
    /// Bytes of a card's identifier; a UUID has 45 with its `urn:uuid:`.
    static let uidBytes = 255
    /// Characters of a number's label, such as `mobile`.
    public static let labelCharacters = 32
    /// Problems reported for one file; the others are only counted.
    public static let problems = 100
    /// The most digits of a number in E.164 (ITU-T E.164 §6.2.1).
    public static let digits = 15
}
