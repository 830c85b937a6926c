import Basics
import Vocabulary

/// The rates at which peers may make this device do something about calls that are not under way.
struct CallBounds: Sendable {
    private var newCalls: [CallPayer: RateLimiter] = [:]
    /// The limits for calls that this side begins, by called account. What others do doesn't use them up.
    private var ownCalls: [AccountID: RateLimiter] = [:]
    private var moves: [CallPayer: RateLimiter] = [:]
    private var strays: [DeviceID: RateLimiter] = [:]

    /// Whether this side may begin a call with the account; if so, it is counted.
    /// - Parameter account: the account to call, or this one for a call of a group.
    mutating func starts(_ account: AccountID, now: Instant) -> Bool {
        ownCalls[account, default: RateLimiter(PeerLimits.newCalls)].acquire(now: now)
    }

    /// Whether a call for which this one answers is taken note of; if so, it is counted.
    mutating func begins(_ payer: CallPayer, now: Instant) -> Bool {
        newCalls[payer, default: RateLimiter(PeerLimits.newCalls)].acquire(now: now)
    }

    /// Whether this one may make this side leave a call of a group for another one; if so, it is counted.
    mutating func moves(_ payer: CallPayer, now: Instant) -> Bool {
        moves[payer, default: RateLimiter(PeerLimits.callMoves)].acquire(now: now)
    }

    /// Whether a state that the device sends about an unknown call is answered; if so, it is counted.
    mutating func answers(_ device: DeviceID, now: Instant) -> Bool {
        strays[device, default: RateLimiter(PeerLimits.callStrays)].acquire(now: now)
    }

    mutating func lost(_ device: DeviceID) { strays[device] = nil }

    /// Forgets the limiters that are full again, since they limit nothing.
    mutating func tidy(now: Instant) {
        newCalls = newCalls.filter { $0.value.left(now: now) < .seconds(60) }
        ownCalls = ownCalls.filter { $0.value.left(now: now) < .seconds(60) }
        moves = moves.filter { $0.value.left(now: now) < .seconds(180) }
    }
}

/// A signal of this side's window to another one, checked before it goes out.
struct CallSaying {
    let kind: CallSignalKind
    let sdp: String?
    let candidates: [CallCandidate]
    /// Whether it holds nothing that may be sent: none of its candidates has an address that the other side may know.
    var isEmpty: Bool { kind == .candidates && candidates.isEmpty }

    /// - Parameters:
    ///   - sdp: the session description as the window wrote it; the candidates in it are left out.
    ///   - lines: the window's candidates, as it wrote them.
    ///   - fingerprint: the SHA-256 of the window's certificate.
    init(
        _ kind: CallSignalKind, sdp: String?, lines: [String], fingerprint: [UInt8], addresses: CallAddresses
    ) throws(CallObjection) {
        self.kind = kind
        var text: String?
        if let sdp {
            let description: SessionDescription
            do { description = try SessionDescription(checking: sdp) } catch { throw .description(error) }
            guard description.fingerprint == fingerprint else { throw .fingerprint }
            text = description.text
        }
        self.sdp = text
        var read: [CandidateLine] = []
        for (index, line) in lines.enumerated() {
            guard let line = CandidateLine(line) else { throw .candidate(index + 1) }
            read.append(line)
        }
        candidates = kind == .candidates ? addresses.sent(read) : []
    }
}
