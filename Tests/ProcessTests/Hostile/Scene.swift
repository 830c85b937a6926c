import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

extension DaemonProcess {
    /// One series of `system.metrics`; 0 if it isn't there yet.
    func metric(_ series: String) throws -> Int {
        let text = try call("system.metrics").string ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
}

/// Anna's daemon, which is under attack, and Bert, who is her friend all the while. There is no discovery unless a port
/// is given.
struct Scene {
    let anna: DaemonProcess
    let bert: DaemonProcess
    let annaID: String
    let bertID: String
    /// The address at which Anna's daemon listens.
    let address: SocketAddress
    private let before: ProcessFigures

    init(discoveryPort: UInt16? = nil) throws {
        var options = DaemonProcess.Options(discoveryPort: discoveryPort, logLevel: .info)
        anna = try DaemonProcess.launch(name: "Anna", options: options)
        if discoveryPort == nil { options.peers = [try anna.listenAddress] }
        bert = try DaemonProcess.launch(name: "Bert", options: options)
        if discoveryPort == nil { try bert.waitToSee(anna) }
        try bert.befriend(anna)
        annaID = try anna.account.id
        bertID = try bert.account.id
        address = try #require(SocketAddress(try anna.listenAddress))
        before = try ProcessFigures(pid: try #require(anna.pid))
    }

    /// Checks what must hold after any attack: the daemon runs and answers, its friend's message arrives and one goes
    /// back, and its memory has never grown by more than `memory` bytes.
    func expectUnharmed(
        memory: UInt64 = 24 << 20, _ what: String = "", at location: SourceLocation = #_sourceLocation
    ) throws {
        try #require(anna.isRunning, "\(what): the daemon died\n\(anna.logTail)", sourceLocation: location)
        _ = try anna.status
        try exchangeMessages()
        let after = try ProcessFigures(pid: try #require(anna.pid))
        #expect(
            after.peakResident <= before.resident + memory,
            "\(what): memory grew from \(before.resident >> 20) to \(after.peakResident >> 20) MiB",
            sourceLocation: location)
    }

    /// Sends one message each way. Returns the time until the first was acknowledged.
    @discardableResult
    func exchangeMessages() throws -> Duration {
        let begin = SystemClocks().now
        let sent = try MessageProcessTests.send("still there?", from: bert, to: annaID)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: bert)
        let latency = SystemClocks().now - begin
        let answer = try MessageProcessTests.send("yes", from: anna, to: bertID)
        try MessageProcessTests.waitForState(.delivered, of: answer.id, at: anna)
        return latency
    }

    /// The texts from one account in Anna's history.
    func texts(from id: String) throws -> [String] {
        let conversation = try anna.call("conversation.open", ["contact": .string(id)])
        let list = try anna.call(
            "message.list", ["conversation": .string(try Conversation(json: conversation).id), "limit": 500])
        return try (list["messages"]?.array ?? []).map { try Message(json: $0) }.filter { $0.sender == id }.map(\.text)
    }
}
