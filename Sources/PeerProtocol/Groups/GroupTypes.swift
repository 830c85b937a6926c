import Basics
import Crypto
import Vocabulary

/// A person that is put into a group: their key, by their device's certificate, and the name under which the adding
/// member knows them. It has nothing else: what friends show each other stays between them.
public struct GroupSeed: Hashable, Sendable {
    public let certificate: DeviceCertificate
    /// At most ``SharedLimits/foreignNameCharacters`` characters on one line.
    public let name: String

    public var account: AccountID { certificate.account }

    public init(certificate: DeviceCertificate, name: String) {
        self.certificate = certificate
        self.name = name
    }
}

/// The operation of a membership entry.
public enum GroupOperation: Hashable, Sendable {
    /// The first entry. Its author is the owner, under the name `creator`; `members` are the others.
    case create(name: String, description: String, history: Int, creator: String, members: [GroupSeed])
    /// `floors`: from which sequence on the new ones see each device's chain; one that isn't named from 1.
    case add([GroupSeed], floors: [LogPlace])
    case remove(AccountID)
    case role(AccountID, GroupRole)
    case leave
    case rename(String)
    case describe(String)
    /// The digest of the avatar's file, or none.
    case avatar([UInt8]?)
    /// How many of the last messages new members see.
    case history(Int)
    /// Nothing but what every entry says: that the device which signed it is its author's.
    case device
    /// An operation of a later version, by its number: kept, so that later entries link, and does nothing here.
    case unknown(UInt64)
}

/// The outcome of an entry that came.
public enum GroupInsertion: Hashable, Sendable {
    case inserted
    case duplicate
    /// Entries it follows that are not here. Keep it until they have come, or ask for it again.
    case missing([EntryHash])
    /// The entry is against the rules, as every peer that checks it finds: its author's program is broken or they
    /// cheat.
    case refused(Refusal)
}
