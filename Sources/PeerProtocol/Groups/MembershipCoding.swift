import Basics
import Crypto
import Vocabulary

/// The operation inside a membership entry: `{1: kind, …}`. A field has the same key in every operation that has it.
enum MembershipCoding {
    private enum Kind {
        static let create: UInt64 = 1
        static let add: UInt64 = 2
        static let remove: UInt64 = 3
        static let role: UInt64 = 4
        static let leave: UInt64 = 5
        static let rename: UInt64 = 6
        static let describe: UInt64 = 7
        static let avatar: UInt64 = 8
        static let history: UInt64 = 9
        static let device: UInt64 = 10
    }

    private enum Key {
        static let kind: UInt64 = 1
        static let name: UInt64 = 2
        static let description: UInt64 = 3
        static let history: UInt64 = 4
        static let creator: UInt64 = 5
        static let seeds: UInt64 = 6
        static let floors: UInt64 = 7
        static let account: UInt64 = 8
        static let role: UInt64 = 9
        static let avatar: UInt64 = 10
    }

    // MARK: Writing

    static func value(_ operation: GroupOperation) -> CBOR {
        var map = CBORMap()
        switch operation {
        case .create(let name, let description, let history, let creator, let members):
            map[Key.kind] = .unsigned(Kind.create)
            map[Key.name] = .text(name)
            map[Key.description] = .text(description)
            map[Key.history] = .unsigned(UInt64(history))
            map[Key.creator] = .text(creator)
            map[Key.seeds] = .array(members.map(value))
        case .add(let seeds, let floors):
            map[Key.kind] = .unsigned(Kind.add)
            map[Key.seeds] = .array(seeds.map(value))
            map[Key.floors] = .array(floors.map { .array([.bytes($0.device.bytes), .unsigned($0.sequence)]) })
        case .remove(let account):
            map[Key.kind] = .unsigned(Kind.remove)
            map[Key.account] = .bytes(account.bytes)
        case .role(let account, let role):
            map[Key.kind] = .unsigned(Kind.role)
            map[Key.account] = .bytes(account.bytes)
            map[Key.role] = role.value
        case .leave: map[Key.kind] = .unsigned(Kind.leave)
        case .rename(let name):
            map[Key.kind] = .unsigned(Kind.rename)
            map[Key.name] = .text(name)
        case .describe(let description):
            map[Key.kind] = .unsigned(Kind.describe)
            map[Key.description] = .text(description)
        case .avatar(let digest):
            map[Key.kind] = .unsigned(Kind.avatar)
            map[Key.avatar] = digest.map { .bytes($0) }
        case .history(let count):
            map[Key.kind] = .unsigned(Kind.history)
            map[Key.history] = .unsigned(UInt64(count))
        case .device: map[Key.kind] = .unsigned(Kind.device)
        case .unknown(let kind): map[Key.kind] = .unsigned(kind)
        }
        return .map(map)
    }

    private static func value(_ seed: GroupSeed) -> CBOR {
        .map([1: .bytes(seed.certificate.encoded()), 2: .text(seed.name)])
    }

    // MARK: Limits

    /// Bytes of an entry that does this: an entry that every member may make is small.
    static func maximumBytes(_ operation: GroupOperation) -> Int {
        switch operation {
        case .create, .add: PeerLimits.membershipEntryBytes
        case .describe: PeerLimits.membershipDescribeBytes
        default: PeerLimits.membershipOtherBytes
        }
    }

    // MARK: Reading

    static func operation(
        _ value: CBOR, _ certificates: inout CertificateReader
    ) throws(WireError) -> GroupOperation {
        let body = try BodyReader(value, field: "operation")
        let kind = try body.unsigned(Key.kind, "operation")
        let operation: GroupOperation
        switch kind {
        case Kind.create:
            operation = .create(
                name: try text(body, Key.name, "name", SharedLimits.groupNameCharacters),
                description: try text(
                    body, Key.description, "description", SharedLimits.groupDescriptionCharacters),
                history: try history(body),
                creator: try text(body, Key.creator, "creator", SharedLimits.foreignNameCharacters),
                members: try seeds(body, &certificates))
        case Kind.add: operation = .add(try seeds(body, &certificates), floors: try floors(body))
        case Kind.remove: operation = .remove(try account(body))
        case Kind.role:
            let account = try account(body)
            let number = try body.unsigned(Key.role, "role")
            // This is a role of a later version, which this one can't give to an account.
            guard let role = GroupRole(wire: number) else { return .unknown(kind) }
            operation = .role(account, role)
        case Kind.leave: operation = .leave
        case Kind.rename: operation = .rename(try text(body, Key.name, "name", SharedLimits.groupNameCharacters))
        case Kind.describe:
            operation = .describe(
                try text(body, Key.description, "description", SharedLimits.groupDescriptionCharacters))
        case Kind.avatar:
            operation = .avatar(try body.optionalBytes(Key.avatar, "avatar", maximum: PeerLimits.avatarDigestBytes))
        case Kind.history: operation = .history(try history(body))
        case Kind.device: operation = .device
        default: operation = .unknown(kind)
        }
        try check(operation)
        return operation
    }

    private static func text(
        _ body: BodyReader, _ key: UInt64, _ field: String, _ characters: Int
    ) throws(WireError) -> String {
        try body.text(key, field, maximumBytes: characters * 8)
    }

    private static func history(_ body: BodyReader) throws(WireError) -> Int {
        Int(clamping: try body.unsigned(Key.history, "history"))
    }

    private static func account(_ body: BodyReader) throws(WireError) -> AccountID {
        let bytes = try body.bytes(Key.account, "account", maximum: CryptoLimits.keyBytes)
        guard let account = AccountID(bytes: bytes) else { throw .invalid(field: "account") }
        return account
    }

    private static func seeds(
        _ body: BodyReader, _ certificates: inout CertificateReader
    ) throws(WireError) -> [GroupSeed] {
        let limit = SharedLimits.groupMembers
        let seeds = try body.optionalList(Key.seeds, "members", maximum: limit) { (item, field) throws(WireError) in
            let seed = try BodyReader(item, field: field)
            return GroupSeed(
                certificate: try certificates.read(
                    try seed.bytes(1, "certificate", maximum: CryptoLimits.deviceCertificateBytes)),
                name: try text(seed, 2, "member's name", SharedLimits.foreignNameCharacters))
        }
        guard let seeds else { throw .missing(field: "members") }
        return seeds
    }

    private static func floors(_ body: BodyReader) throws(WireError) -> [LogPlace] {
        let limit = PeerLimits.groupFloors
        let floors = try body.optionalList(Key.floors, "floors", maximum: limit) { (item, field) throws(WireError) in
            guard let pair = item.arrayValue, pair.count == 2 else { throw .wrongType(field: field) }
            guard let device = pair[0].bytesValue.flatMap({ DeviceID(bytes: $0) }),
                let sequence = pair[1].unsignedValue
            else { throw .invalid(field: field) }
            return LogPlace(device: device, sequence: sequence)
        }
        guard let floors else { throw .missing(field: "floors") }
        return floors
    }

    // MARK: Rules

    /// The rules that reading and writing check alike.
    static func check(_ operation: GroupOperation) throws(WireError) {
        switch operation {
        case .create(let name, let description, let history, let creator, let members):
            try checkName(name)
            try checkDescription(description)
            try checkHistory(history)
            try FieldRules.label(creator, "creator", maximum: SharedLimits.foreignNameCharacters)
            // The author is one of them, too.
            try FieldRules.bytes(members.count, "members", maximum: SharedLimits.groupMembers - 1)
            try check(members)
        case .add(let seeds, let floors):
            guard !seeds.isEmpty else { throw .invalid(field: "members") }
            try FieldRules.bytes(seeds.count, "members", maximum: SharedLimits.groupMembers)
            try check(seeds)
            try FieldRules.bytes(floors.count, "floors", maximum: PeerLimits.groupFloors)
            for (one, next) in zip(floors, floors.dropFirst()) where one.device >= next.device {
                throw .invalid(field: "floors")
            }
            // A chain begins at 1 and never reaches the last number.
            guard floors.allSatisfy({ $0.sequence >= 1 && $0.sequence <= PeerLimits.logSequence }) else {
                throw .invalid(field: "floors")
            }
        case .rename(let name): try checkName(name)
        case .describe(let description): try checkDescription(description)
        case .avatar(let digest):
            if let digest, digest.count != PeerLimits.avatarDigestBytes { throw .invalid(field: "avatar") }
        case .history(let count): try checkHistory(count)
        case .remove, .role, .leave, .device, .unknown: break
        }
    }

    private static func checkName(_ name: String) throws(WireError) {
        try FieldRules.label(name, "name", maximum: SharedLimits.groupNameCharacters)
    }

    private static func checkDescription(_ text: String) throws(WireError) {
        try FieldRules.characters(text, "description", maximum: SharedLimits.groupDescriptionCharacters)
        guard ForeignText.isText(text, multiline: true) else { throw .invalid(field: "description") }
    }

    private static func checkHistory(_ count: Int) throws(WireError) {
        guard 0...SharedLimits.groupHistory ~= count else { throw .invalid(field: "history") }
    }

    private static func check(_ seeds: [GroupSeed]) throws(WireError) {
        var accounts: Set<AccountID> = []
        for seed in seeds {
            try FieldRules.label(seed.name, "member's name", maximum: SharedLimits.foreignNameCharacters)
            guard accounts.insert(seed.account).inserted else { throw .invalid(field: "members") }
        }
    }
}

/// Reads certificates and checks the signature of each only once, because in a group the same certificates come again
/// and again.
public struct CertificateReader: Sendable {
    private var known: [[UInt8]: DeviceCertificate] = [:]
    /// How many signatures were checked.
    public private(set) var checked = 0
    /// Whether the bytes are on our own disk. Everything there was checked when it came, so no signature is checked
    /// again.
    let isTrusted: Bool

    public init(isTrusted: Bool = false) { self.isTrusted = isTrusted }

    mutating func read(_ bytes: [UInt8]) throws(WireError) -> DeviceCertificate {
        if let certificate = known[bytes] { return certificate }
        let certificate: DeviceCertificate
        do {
            if isTrusted {
                certificate = try DeviceCertificate(trusting: bytes)
            } else {
                checked += 1
                certificate = try DeviceCertificate(decoding: bytes)
            }
        } catch { throw .certificate(error) }
        // A peer that sends many certificates loses the benefit, nothing else.
        if known.count >= 4 * SharedLimits.groupMembers { known = [:] }
        known[bytes] = certificate
        return certificate
    }
}
