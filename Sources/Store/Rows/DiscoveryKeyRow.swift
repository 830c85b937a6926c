import Basics

/// The keys by which a contact is recognised, and which of our keys the contact has.
public struct DiscoveryKeyRow: Hashable, Sendable {
    public var account: AccountID
    /// The number of the contact's shared key.
    public var number: UInt32
    /// The contact's shared key, 32 bytes, which all its friends have.
    public var shared: [UInt8]
    /// The pair key, 32 bytes, which the contact gave to us alone.
    public var pair: [UInt8]
    /// The number of our shared key that the contact reported to have; 0 for none.
    public var held: UInt32

    public init(account: AccountID, number: UInt32, shared: [UInt8], pair: [UInt8], held: UInt32) {
        self.account = account
        self.number = number
        self.shared = shared
        self.pair = pair
        self.held = held
    }
}
