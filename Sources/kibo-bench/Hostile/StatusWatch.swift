import Basics
import ControlProtocol
import TestSupport

/// Asks a daemon for `system.status` ten times a second while something else is measured: one question at a time.
final class StatusWatch {
    private static let pause = Duration.milliseconds(100)

    private let clocks = SystemClocks()
    private let client: ControlClient
    private var asked: Instant?
    private var next = Instant(nanoseconds: 0)
    private var times: [Double] = []

    init(_ daemon: DaemonProcess) throws { client = try daemon.connect() }

    /// Takes an answer that is there, and asks again when it is time.
    func look() throws {
        if let begin = asked {
            try client.pump()
            guard client.bufferedReply() != nil else { return }
            times.append((clocks.now - begin).inMilliseconds)
            asked = nil
        }
        guard clocks.now >= next else { return }
        next = clocks.now + Self.pause
        _ = try client.send("system.status")
        try client.flush()
        asked = clocks.now
    }

    /// Milliseconds of each answer since the last call; one that is still awaited counts as it is.
    func drain() -> [Double] {
        let waiting = asked.map { [(clocks.now - $0).inMilliseconds] } ?? []
        defer { times = [] }
        return times + waiting
    }
}
