import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A data directory was copied to another host, and Kibo runs on both.
@Suite("Two copies of one data directory", .serialized)
struct CopyProcessTests {
    private func check(_ daemon: DaemonProcess) throws -> DoctorCheck? {
        let result = try daemon.client.call("system.doctor", [:], timeout: .seconds(90))
        return try (result["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }.first { $0.name == "copies" }
    }

    @Test("The copies don't push each other out: one stays connected, and all three daemons tell the problem")
    func copies() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .info)
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let carla = try DaemonProcess.launch(name: "Carla", options: options)
        try anna.befriend(carla)
        try carla.stop()
        let copy = try DaemonProcess(name: "Carla's copy", options: options)
        for name in TemporaryDirectory.names(in: carla.dataPath) {
            guard name != "lock", let bytes = try? TextFile.bytes(carla.dataPath + "/" + name) else { continue }
            try TextFile.write(bytes, to: copy.dataPath + "/" + name)
            chmod(copy.dataPath + "/" + name, 0o600)
        }
        let before = try anna.metric("kibo_sessions_opened_total")
        try carla.start()
        try copy.start()
        let account = try carla.account.id
        #expect(try copy.account.id == account)
        let begin = SystemClocks().now
        let all = [anna, carla, copy]
        try Patience.until("all to notice", report: all.map(\.logTail).joined()) {
            anna.log.contains("in use at two places at once")
                && [carla, copy].allSatisfy { $0.log.contains("in use by another Kibo") }
        }
        // The pause is long enough for a fight: each copy would push the other out and come back within half a second.
        let rest = Duration.seconds(4) - (SystemClocks().now - begin)
        if rest > .zero { Patience.pause(rest) }
        let opened = try anna.metric("kibo_sessions_opened_total") - before
        #expect(opened <= 5, "\(opened) sessions\n\(all.map(\.logTail).joined())")
        #expect(try anna.contact(account)?.presence == .online)

        let annas = try #require(try check(anna))
        let place = annas.about(.copiesOfContacts)?["names"]?.array?.first?.string ?? ""
        #expect(!annas.ok && place.hasPrefix("Carla at 127.0.0.1:") && place.contains(" and 127.0.0.1:"))
        for daemon in [carla, copy] {
            let own = try #require(try check(daemon), "\(daemon.logTail)")
            #expect(!own.ok && own.advises(.setUpAnew))
        }
        // Anna's message reaches the copy that is connected.
        let conversation = try anna.conversation(with: carla)
        try anna.call("message.send", ["conversation": .string(conversation), "text": "which of you is it?"])
        try Patience.until("one of them to have it", report: all.map(\.logTail).joined()) {
            try [carla, copy].contains { daemon in
                try "\(daemon.call("conversation.list"))".contains("which of you")
            }
        }
        // The copy that stays alone is let in, and its restart shows no problem.
        try copy.stop()
        try carla.stop()
        try carla.start()
        try Patience.until("Carla to be online", report: all.map(\.logTail).joined()) {
            try anna.contact(account)?.presence == .online
        }
    }
}
