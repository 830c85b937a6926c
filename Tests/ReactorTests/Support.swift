import Basics
import CLinux
import Glibc
import Reactor
import Testing

/// All suites of this folder run one test at a time: they share one reactor thread and watch descriptor numbers.
@Suite(.serialized) enum ReactorTests {}

/// A handler that records its calls and can be given actions.
@ReactorActor final class Recorder: StreamHandler {
    enum Event: Equatable { case connected, ended, drained, closed(SocketError?) }

    private(set) var events: [Event] = []
    private(set) var bytes: [UInt8] = []
    private(set) var largestPiece = 0
    private(set) var eventsAfterFarewell = 0
    var onConnect: (@ReactorActor () -> Void)?
    var onReceive: (@ReactorActor (ArraySlice<UInt8>) -> Void)?
    var onEnd: (@ReactorActor () -> Void)?
    var onClose: (@ReactorActor () -> Void)?
    var keepsBytes = true
    private(set) var count = 0

    var isClosed: Bool { farewells > 0 }
    private(set) var farewells = 0

    private func note(_ event: Event?) {
        if isClosed { eventsAfterFarewell += 1 }
        if let event { events.append(event) }
    }

    func streamDidConnect() {
        note(.connected)
        onConnect?()
    }
    func streamDidReceive(_ received: ArraySlice<UInt8>) {
        note(nil)
        #expect(!received.isEmpty)
        count += received.count
        largestPiece = max(largestPiece, received.count)
        if keepsBytes { bytes.append(contentsOf: received) }
        onReceive?(received)
    }
    func streamDidEnd() {
        note(.ended)
        onEnd?()
    }
    func streamDidClose(_ error: SocketError?) {
        note(.closed(error))
        farewells += 1
        onClose?()
    }
    func streamDidDrain() { note(.drained) }
}

/// Lets the reactor turn until `condition` holds. False after a minute: all tests of the modules share its thread, so on a
/// busy machine a turn can take seconds.
@ReactorActor func until(_ condition: @ReactorActor () -> Bool) async -> Bool {
    let deadline = SystemClocks().now + .seconds(60)
    while !condition() {
        if SystemClocks().now > deadline { return false }
        await pause(.milliseconds(1))
    }
    return true
}

/// Lets the reactor turn for a while.
@ReactorActor func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
        Reactor.shared.schedule(at: SystemClocks().now + duration) { continuation.resume() }
    }
}

/// A connected pair of Unix sockets. The second one is non-blocking, for the test's own use.
func pair(_ type: CInt = 1) throws -> (ours: CInt, theirs: CInt) {
    var ends: [CInt] = [0, 0]
    let code = socketpair(AF_UNIX, type, 0, &ends)
    try #require(code == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
}

/// Writes what the kernel takes and returns the number of bytes.
@discardableResult func put(_ fd: CInt, _ bytes: [UInt8]) -> Int {
    max(0, send(fd, bytes, bytes.count, CInt(MSG_NOSIGNAL)))
}

/// Everything that can be read without waiting, and whether the end was seen.
func drain(_ fd: CInt) -> (bytes: [UInt8], ended: Bool) {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = recv(fd, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        if count == 0 { return (all, true) }
        if count < 0 { return (all, false) }
        all += buffer[..<count]
    }
}

/// Random bytes that are the same for the same seed.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// A path in a fresh private directory, which the caller removes.
func temporaryDirectory() throws -> String {
    var template = Array("/tmp/kibo-reactor-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension SocketAddress {
    static let anyLoopbackPort = SocketAddress(.loopback, port: 0)
}
