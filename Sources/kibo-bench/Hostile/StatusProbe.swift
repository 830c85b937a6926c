import Basics
import ControlProtocol

/// Asks a daemon for its status ten times a second, beside whatever else is measured, and never waits for the answer.
final class StatusProbe {
    private static let pause = Duration.milliseconds(100)

    private let client: ControlClient
    private let clocks = SystemClocks()
    private var asked: Instant?
    private var next = Instant(nanoseconds: 0)
    /// How long each answer took, in milliseconds.
    var times: [Double] = []

    init(_ client: ControlClient) { self.client = client }

    func look() throws {
        let now = clocks.now
        if let asked {
            try client.pump()
            guard client.takeReply() != nil else { return }
            times.append((clocks.now - asked).inMilliseconds)
            self.asked = nil
        } else if now >= next {
            (asked, next) = (now, now + Self.pause)
            _ = try client.send("system.status", [:])
            try client.pump()
        }
    }
}
