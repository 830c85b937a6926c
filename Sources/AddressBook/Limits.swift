/// What is taken of an address book's file, each with its unit and reason. Bytes that nobody keeps (pictures) count for
/// ``AddressBookLimits/fileBytes`` only: they go by, a piece at a time.
public enum AddressBookLimits {
    /// Bytes of a file: ten thousand people with a picture of 100 KiB each.
    public static let fileBytes: Int64 = 1 << 30
    /// People in one file, and in the address book: a large company.
    public static let cards = 50_000
    /// Bytes of all lines that are kept of a file: of 50,000 people more than a kilobyte each.
    static let keptBytes = 64 << 20
    /// What a line counts beside its bytes: what it takes in memory.
    static let lineCost = 64
    /// Bytes of one line, put together, whose value is looked at: a name has a few dozen.
    static let lineBytes = 16 << 10
    /// Bytes in front of a line's value: its name and parameters.
    static let headBytes = 2 << 10
    /// Bytes into a file by which its first card has begun; else it is something other than a vCard.
    static let beginBytes = 64 << 10
    /// Lines of one card that are looked at: more than any person's.
    static let lines = 1_000
    /// Cards within cards (AGENT) that are followed to find their end.
    static let nesting = 64
    /// Telephone numbers, and e-mail addresses, of one person.
    public static let values = 32
    /// Characters, and bytes, of a name: what is longer is cut.
    public static let nameCharacters = 256
    static let nameBytes = 1_024
    /// Characters of a telephone number as somebody wrote it.
    public static let phoneCharacters = 64
    /// Bytes of an e-mail address (RFC 5321 §4.5.3.1.3, less its angle brackets).
    public static let emailBytes = 254
    /// Bytes of a card's identifier; a UUID has 45 with its `urn:uuid:`.
    static let uidBytes = 255
    /// Characters of what a number is called, such as `mobile`.
    public static let labelCharacters = 32
    /// Problems that are told of one file; the others are counted.
    public static let problems = 100
    /// Digits of a number in E.164 at most (ITU-T E.164 §6.2.1).
    public static let digits = 15
}
