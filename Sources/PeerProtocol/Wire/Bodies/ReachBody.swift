import Basics

/// Asks a friend to dial back, to find out whether others can. CBOR `{1: number}`. Needs no receipt.
///
/// The friend dials the address that the session comes from and the port that its other side named in the handshake, and no
/// other: so a friend can't have a stranger's ports tried.
public struct ReachRequestBody: WireBody {
    /// The asker chooses it, and the answer repeats it.
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public init(decoding bytes: [UInt8]) throws(WireError) { number = try BodyReader(bytes).unsigned(1, "number") }

    public func encoded() -> [UInt8] { CBOR.map([1: .unsigned(number)]).encoded() }
}

/// How that went. CBOR `{1: number, 2: outcome, 3: time, 4: address?, 5: detail?}`. Needs no receipt.
public struct ReachBody: WireBody {
    /// The outcome of the dial.
    public enum Outcome: UInt64, CaseIterable, Hashable, Sendable {
        /// A program accepts connections there.
        case reached = 0
        case failed = 1
        /// It was not tried: too much to do, or no port was named.
        case notTried = 2
    }

    public let number: UInt64
    public let outcome: Outcome
    /// The answerer's clock when it answered.
    public let time: WallTime
    /// Where it dialled.
    public let address: String?
    /// Why it failed, for people.
    public let detail: String?

    /// Text that is too long is cut, and foreign characters are escaped.
    public init(number: UInt64, outcome: Outcome, time: WallTime, address: String?, detail: String?) {
        self.number = number
        self.outcome = outcome
        self.time = time
        self.address = address.map { String($0.prefix(PeerLimits.reachAddressBytes)) }
        self.detail = detail.flatMap { Refusal(.internal, detail: $0).detail }
    }

    /// - Throws: ``WireError``; `.unsupported` for an outcome of a later version.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        number = try body.unsigned(1, "number")
        guard let outcome = Outcome(rawValue: try body.unsigned(2, "outcome")) else {
            throw .unsupported(field: "outcome")
        }
        self.outcome = outcome
        time = try body.time(3, "time")
        address = try body.optionalText(4, "address", maximumBytes: PeerLimits.reachAddressBytes)
        detail = try body.optionalText(5, "detail", maximumBytes: PeerLimits.detailCharacters * 8)
    }

    public func encoded() -> [UInt8] {
        var map: CBORMap = [
            1: .unsigned(number), 2: .unsigned(outcome.rawValue), 3: .unsigned(UInt64(clamping: time.milliseconds)),
        ]
        if let address { map[4] = .text(address) }
        if let detail { map[5] = .text(detail) }
        return CBOR.map(map).encoded()
    }
}
