import Basics
import PeerProtocol
import Reactor

/// The lines of the log level `trace`: kind, bytes and peer of each frame and datagram, never its content. Above a
/// rate, lines are left out and counted, so that a flood doesn't fill the disk.
@ReactorActor package final class WireTrace {
    /// The one of this process.
    package static let shared = WireTrace()

    private var limiter = RateLimiter(NetworkLimits.traceLines)
    private var leftOut = 0

    package init() {}

    package enum Direction: String {
        case sent, received
    }

    /// Logs frames that begin to pass.
    package func frames(
        _ frames: [(kind: FrameKind, bytes: Int)], _ direction: Direction, _ peer: AccountID, now: Instant,
        to log: Logger
    ) {
        for frame in frames {
            note("frame \(direction)", "\(frame.kind)", frame.bytes, peer.description, now, log)
        }
    }

    /// Logs a datagram that passes.
    package func datagram(
        _ bytes: some Collection<UInt8>, _ direction: Direction, _ place: String, now: Instant, to log: Logger
    ) {
        guard log.isTracing else { return }
        note("datagram \(direction)", DiscoveryDatagram.kindName(of: bytes), bytes.count, place, now, log)
    }

    private func note(
        _ what: String, _ kind: String, _ bytes: Int, _ peer: String, _ now: Instant, _ log: Logger
    ) {
        guard limiter.acquire(now: now) else {
            leftOut += 1
            return
        }
        var fields = [("kind", kind), ("bytes", "\(bytes)"), ("peer", peer)]
        if leftOut > 0 { fields.append(("leftOutBefore", "\(leftOut)")) }
        leftOut = 0
        log.trace(what, fields)
    }
}
