import Basics

/// A list of accounts that belong together, such as those of an office, signed by the account of its administrator.
///
/// The signer signs `"kibo-office-roster-v1" ‖ 0x00 ‖` the CBOR map `{1: version (unsigned), 2: members (an array of the
/// maps {1: account (32 bytes), 2: name (text)})}`. A value of this type is always valid: one with a false signature can't
/// be made.
public struct Roster: Hashable, Sendable {
    /// Why there is no roster.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// More than ``CryptoLimits/rosterMembers``, or none.
        case size
        /// An account stands in it twice.
        case twice(AccountID)
        /// A name that is no label of at most ``CryptoLimits/rosterNameCharacters``.
        case invalidName(AccountID)
        /// The signer did not sign this.
        case forged

        public var description: String {
            switch self {
            case .size: "the roster has no members, or too many"
            case .twice(let account): "\(account) stands in the roster twice"
            case .invalidName(let account): "the name of \(account) is not permitted"
            case .forged: "the signer did not sign the roster"
            }
        }
    }

    /// One of the accounts.
    public struct Member: Hashable, Sendable {
        public let account: AccountID
        /// The name that is shown until the account itself says another.
        public let name: String

        public init(account: AccountID, name: String) {
            self.account = account
            self.name = name
        }
    }

    /// The label that keeps this signature from serving another purpose.
    public static let label = "kibo-office-roster-v1"

    /// Milliseconds since 1970 at which it was made.
    public let version: Int64
    public let members: [Member]
    public let signer: AccountID
    /// The signer's signature, 64 bytes.
    public let signature: [UInt8]

    /// Signs a new roster.
    /// - Throws: ``Failure`` but `.forged`.
    public static func issue(
        by accountKey: SigningKey, members: [Member], at time: WallTime
    ) throws(Failure) -> Roster {
        let version = max(0, time.milliseconds)
        try check(members)
        return Roster(
            checked: members, version: version, signer: AccountID(accountKey.publicKey),
            signature: accountKey.sign(signedBytes(version, members), label: label))
    }

    /// Takes the content of a file, and checks it with the signature.
    /// - Throws: ``Failure``.
    public init(version: Int64, members: [Member], signer: AccountID, signature: [UInt8]) throws(Failure) {
        try Self.check(members)
        guard version >= 0,
            Signature.isValid(
                signature, of: Self.signedBytes(version, members), label: Self.label, by: signer.key)
        else { throw .forged }
        self.init(checked: members, version: version, signer: signer, signature: signature)
    }

    private init(checked members: [Member], version: Int64, signer: AccountID, signature: [UInt8]) {
        self.version = version
        self.members = members
        self.signer = signer
        self.signature = signature
    }

    private static func check(_ members: [Member]) throws(Failure) {
        guard !members.isEmpty, members.count <= CryptoLimits.rosterMembers else { throw .size }
        var seen: Set<AccountID> = []
        for member in members {
            guard seen.insert(member.account).inserted else { throw .twice(member.account) }
            guard ForeignText.isLabel(member.name, maximumCharacters: CryptoLimits.rosterNameCharacters) else {
                throw .invalidName(member.account)
            }
        }
    }

    private static func signedBytes(_ version: Int64, _ members: [Member]) -> [UInt8] {
        let list = members.map { CBOR.map([1: .bytes($0.account.bytes), 2: .text($0.name)]) }
        return CBOR.map([1: .integer(version), 2: .array(list)]).encoded()
    }
}
