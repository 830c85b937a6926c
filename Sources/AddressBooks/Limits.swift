/// The bounds of this module, with unit and reason. Those of address books themselves stand in AddressBook.
enum MatchLimits {
    /// Bytes of an imported file that are read at once.
    static let filePiece = 256 << 10
    /// Events of one change of the matches: a client that gets so many lists the address book again.
    static let events = 200
}
