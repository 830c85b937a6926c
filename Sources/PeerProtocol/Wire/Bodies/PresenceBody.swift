import Basics

/// How reachable a person is whose daemon has a session with ours. Without a session they are offline.
public enum PeerPresence: UInt64, CaseIterable, Hashable, Sendable {
    case online = 0
    /// They said so, or nothing was heard of them for a while.
    case away = 1
}

/// The sender's person is here, or away. CBOR `{1: state}`. Needs no receipt.
public struct PresenceBody: Hashable, Sendable {
    public let presence: PeerPresence

    public init(_ presence: PeerPresence) { self.presence = presence }

    /// - Throws: ``WireError``; `.unsupported` for a state of a later version.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let state = try BodyReader(bytes).unsigned(1, "state")
        guard let presence = PeerPresence(rawValue: state) else { throw .unsupported(field: "state") }
        self.presence = presence
    }

    /// The body's bytes.
    public func encoded() -> [UInt8] { CBOR.map([1: .unsigned(presence.rawValue)]).encoded() }
}
