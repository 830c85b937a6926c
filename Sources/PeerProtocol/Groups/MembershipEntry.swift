import Basics
import Crypto
import Vocabulary

/// One signed step in the life of a group: it changes the members, their roles or the name.
///
/// The signed map is `{1: group?, 2: root?, 3: author's device certificate, 4: parents?, 5: hybrid time, 6: wall time, 7:
/// operation}`; the device signs `"kibo-group-entry-v1" ‖ 0x00 ‖ that map`; the entry travels as `{1: the map's bytes, 2:
/// signature}` and its hash is the BLAKE2b-256 of the map's bytes. The entry that creates a group has no group, root and parents:
/// the group is named after it. A value of this type is signed by the device that its certificate names.
public struct MembershipEntry: Hashable, Sendable {
    /// This keeps the signature from serving another purpose.
    public static let label = "kibo-group-entry-v1"

    public let hash: EntryHash
    /// As on the wire and on disk, signature included.
    public let bytes: [UInt8]
    public let group: UUIDv7
    /// The hash of the entry that created the group; that entry has its own hash here.
    public let root: EntryHash
    public let certificate: DeviceCertificate
    /// The newest entries that the author knew, ascending; none only in the entry that creates a group.
    public let parents: [EntryHash]
    public let time: HybridTime
    /// The author's wall clock, to be shown.
    public let at: WallTime
    public let operation: GroupOperation

    public var author: AccountID { certificate.account }
    /// Whether this is the first entry of a group.
    public var isCreate: Bool { if case .create = operation { true } else { false } }

    /// Whether it takes a member out, which is always possible.
    public var isWayOut: Bool { Self.isWayOut(operation) }

    static func isWayOut(_ operation: GroupOperation) -> Bool {
        switch operation {
        case .remove, .leave: true
        default: false
        }
    }

    /// Hashes are hashes: entries with equal ones are equal.
    public static func == (left: MembershipEntry, right: MembershipEntry) -> Bool { left.hash == right.hash }
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Reads an entry and checks its form, certificates and signature.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var certificates = CertificateReader()
        try self.init(decoding: bytes, certificates: &certificates)
    }

    /// The hash of an entry, without any other check; nil if the bytes are none.
    public static func hash(of bytes: [UInt8]) -> EntryHash? {
        let signed = try? BodyReader(bytes).bytes(1, "entry", maximum: PeerLimits.membershipEntryBytes)
        return signed.map { EntryHash(hashing: $0) }
    }

    /// Reads one of several entries.
    public init(decoding bytes: [UInt8], certificates: inout CertificateReader) throws(WireError) {
        let isTrusted = certificates.isTrusted
        try FieldRules.bytes(bytes.count, "entry", maximum: PeerLimits.membershipEntryBytes)
        let outer = try BodyReader(bytes)
        let signed = try outer.bytes(1, "entry", maximum: PeerLimits.membershipEntryBytes)
        let signature = try outer.bytes(2, "signature", maximum: CryptoLimits.signatureBytes)
        // There is nothing beside the two: a peer that hands the entry on could change what isn't signed.
        guard CBOR.map([1: .bytes(signed), 2: .bytes(signature)]).encoded() == bytes else {
            throw .invalid(field: "entry")
        }
        let body = try BodyReader(signed)
        certificate = try certificates.read(
            try body.bytes(3, "certificate", maximum: CryptoLimits.deviceCertificateBytes))
        guard isTrusted || Signature.isValid(signature, of: signed, label: Self.label, by: certificate.device.key)
        else { throw .forged }
        time = HybridTime(rawValue: try body.unsigned(5, "hybrid time"))
        at = try body.time(6, "wall time")
        guard let value = body.value(7) else { throw .missing(field: "operation") }
        operation = try MembershipCoding.operation(value, &certificates)
        parents = try Self.parents(body)
        hash = EntryHash(hashing: signed)
        self.bytes = bytes
        if case .create(_, _, _, _, let members) = operation {
            guard parents.isEmpty, !body.has(1), !body.has(2) else { throw .invalid(field: "parents") }
            guard !members.contains(where: { [certificate] in $0.account == certificate.account }) else {
                throw .invalid(field: "members")
            }
            root = hash
            group = Self.group(root: hash, time: time)
        } else {
            guard !parents.isEmpty else { throw .missing(field: "parents") }
            group = try body.id(1, "group")
            guard let root = EntryHash(try body.bytes(2, "root", maximum: PeerLimits.entryHashBytes)) else {
                throw .invalid(field: "root")
            }
            self.root = root
        }
        // An entry on our own disk may have come before there was this bound.
        if !isTrusted { try FieldRules.bytes(bytes.count, "entry", maximum: room) }
    }

    /// Bytes that an entry with these fields may have.
    private var room: Int {
        let most = MembershipCoding.maximumBytes(operation)
        let seeds: Int
        switch operation {
        case .create(_, _, _, _, let members): seeds = members.count
        case .add(let members, _): seeds = members.count
        // Only later versions know what it needs.
        case .unknown: return most
        default: seeds = 0
        }
        let map = Self.map(
            operation, group: isCreate ? nil : (group, root), parents: parents, certificate: certificate, time: time,
            at: at)
        let signature = [UInt8](repeating: 0, count: CryptoLimits.signatureBytes)
        let needed = CBOR.map([1: .bytes(CBOR.map(map).encoded()), 2: .bytes(signature)]).encoded().count
        return min(most, needed + PeerLimits.membershipReserveBytes + seeds * PeerLimits.membershipSeedReserveBytes)
    }

    private static func map(
        _ operation: GroupOperation, group: (id: UUIDv7, root: EntryHash)?, parents: [EntryHash],
        certificate: DeviceCertificate, time: HybridTime, at: WallTime
    ) -> CBORMap {
        var map: CBORMap = [
            3: .bytes(certificate.encoded()), 5: .unsigned(time.rawValue), 6: .integer(at.milliseconds),
            7: MembershipCoding.value(operation),
        ]
        if let group {
            map[1] = .bytes(group.id.bytes)
            map[2] = .bytes(group.root.bytes)
        }
        if !parents.isEmpty { map[4] = .array(Set(parents).sorted().map { .bytes($0.bytes) }) }
        return map
    }

    /// Makes and signs an entry.
    /// - Parameters:
    ///   - group: the group's id and root; nil for the entry that creates one.
    ///   - parents: ``GroupGraph/parentsForNext(by:)``.
    /// - Throws: where a peer would refuse it; `.forged` if the key is not the certificate's device.
    public static func make(
        _ operation: GroupOperation, group: (id: UUIDv7, root: EntryHash)?, parents: [EntryHash],
        by account: AccountID, certificate: DeviceCertificate, key: SigningKey, time: HybridTime, at: WallTime
    ) throws(WireError) -> MembershipEntry {
        guard certificate.account == account, certificate.device.key == key.publicKey else { throw .forged }
        try MembershipCoding.check(operation)
        guard at.milliseconds >= 0 else { throw .invalid(field: "wall time") }
        let map = map(operation, group: group, parents: parents, certificate: certificate, time: time, at: at)
        let signed = CBOR.map(map).encoded()
        let bytes = CBOR.map([1: .bytes(signed), 2: .bytes(key.sign(signed, label: label))]).encoded()
        // Our own seeds were checked when they came; the rest is checked as a peer would.
        return try MembershipEntry(decoding: bytes)
    }

    /// The id of the group that an entry creates: its time, and the first 74 bits of its hash, so that no account can
    /// make another group of that id.
    public static func group(root: EntryHash, time: HybridTime) -> UUIDv7 {
        let bytes = root.bytes
        let first = bytes[..<8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let second = bytes[8..<16].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let low = first << 12 | second >> 52
        return UUIDv7(
            high: UInt64(time.milliseconds) << 16 | 0x7000 | first >> 52, low: 0x8000_0000_0000_0000 | low >> 2)
    }

    private static func parents(_ body: BodyReader) throws(WireError) -> [EntryHash] {
        try body.ascending(4, "parents", maximum: PeerLimits.groupParents) {
            (item, field) throws(WireError) -> EntryHash in
            guard let hash = item.bytesValue.flatMap({ EntryHash($0) }) else { throw .invalid(field: field) }
            return hash
        } ?? []
    }
}
