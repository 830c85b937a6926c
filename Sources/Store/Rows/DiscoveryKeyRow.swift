import Basics

/// The keys of a contact by which they are recognised, and which of ours they have.
public struct DiscoveryKeyRow: Hashable, Sendable {
    public var account: AccountID
    /// Which of their shared keys it is.
    public var number: UInt32
    /// 32 bytes, as all their friends have them.
    public var shared: [UInt8]
    /// 32 bytes, which they gave to us alone.
    public var pair: [UInt8]
    /// The number of our shared key that they said they have; 0: none.
    public var held: UInt32

    public init(account: AccountID, number: UInt32, shared: [UInt8], pair: [UInt8], held: UInt32) {
        self.account = account
        self.number = number
        self.shared = shared
        self.pair = pair
        self.held = held
    }
}
