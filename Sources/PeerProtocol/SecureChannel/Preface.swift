import Basics

/// The purpose of a connection.
public enum ChannelPurpose: UInt8, Hashable, Sendable {
    /// Frames between two daemons.
    case session = 1
    /// One file transfer (docs/PROTOCOL-FILES.md).
    case bulk = 2
}

/// The eight bytes in clear that open every connection, from the side that dialled:
/// `"KIBO" ‖ version u8 ‖ purpose u8 ‖ flags u8 ‖ 0`.
///
/// Kept as bytes, for they go into the handshake's prologue as they came: no peer on the way can change one unnoticed.
struct Preface: Hashable, Sendable {
    static let magic = Array("KIBO".utf8)
    static let version: UInt8 = 1
    static let realmFlag: UInt8 = 1
    private static let label = Array("kibo-prologue-v1".utf8) + [0]

    let bytes: [UInt8]
    let purpose: ChannelPurpose
    let usesRealmKey: Bool

    init(purpose: ChannelPurpose, usesRealmKey: Bool) {
        self.purpose = purpose
        self.usesRealmKey = usesRealmKey
        bytes = Self.magic + [Self.version, purpose.rawValue, usesRealmKey ? Self.realmFlag : 0, 0]
    }

    /// Flags other than bit 0 and the last byte are not looked at.
    init(decoding received: ArraySlice<UInt8>) throws(ChannelError) {
        let bytes = Array(received)
        guard bytes.count == PeerLimits.prefaceBytes, bytes.starts(with: Self.magic) else { throw .notKibo }
        guard bytes[4] == Self.version else { throw .unsupportedVersion(bytes[4]) }
        guard let purpose = ChannelPurpose(rawValue: bytes[5]) else { throw .unknownPurpose(bytes[5]) }
        self.bytes = bytes
        self.purpose = purpose
        usesRealmKey = bytes[6] & Self.realmFlag != 0
    }

    /// The bytes that both sides hash before they begin: `"kibo-prologue-v1" ‖ 0x00 ‖ preface ‖ realm id`.
    func prologue(realmKey: RealmKey?) -> [UInt8] {
        Self.label + bytes + (realmKey?.id ?? [UInt8](repeating: 0, count: RealmKey.idBytes))
    }
}
