import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: after one friend's data was put back to an older copy everything comes to rest: nothing arrives twice, nothing
/// waits for ever, and later messages and changes arrive.
@Suite("Old copies of data between two friends", .serialized)
struct OldCopyProcessTests {
    private func friends() throws -> (anna: DaemonProcess, bert: DaemonProcess) {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        try anna.befriend(bert)
        return (anna, bert)
    }

    private func copied(_ daemon: DaemonProcess) throws -> String {
        try daemon.stop()
        let copy = try daemon.copyData()
        try daemon.start()
        return copy
    }

    private func restore(_ daemon: DaemonProcess, from copy: String) throws {
        try daemon.stop()
        try daemon.putBack(copy)
        try daemon.start()
    }

    private func say(_ text: String, as daemon: DaemonProcess, to other: DaemonProcess) throws -> String {
        let sent = try daemon.call(
            "message.send", ["conversation": .string(try daemon.conversation(with: other)), "text": .string(text)])
        return try Message(json: sent).id
    }

    private func texts(at daemon: DaemonProcess, with other: DaemonProcess) throws -> [String] {
        let list = try daemon.call("message.list", ["conversation": .string(try daemon.conversation(with: other))])
        return try (list["messages"]?.array ?? []).map { try Message(json: $0).text }
    }

    private func waitForDelivery(of id: String, by daemon: DaemonProcess, _ other: DaemonProcess) throws {
        try Patience.until("\(id) to be delivered", report: daemon.logTail + other.logTail) {
            try Message(json: daemon.call("message.get", ["id": .string(id)])).state == .delivered
        }
    }

    @Test("Messages that the copy believes to be unsent are sent again and shown once; later messages arrive")
    func messages() throws {
        let (anna, bert) = try friends()
        for daemon in [anna, bert] { try daemon.set("discovery.mode", to: "contacts") }
        let conversation = try bert.conversation(with: anna)
        try anna.stop()
        let queued = try bert.call(
            "message.send", ["conversation": .string(conversation), "text": "waiting"])
        let waiting = try Message(json: queued).id
        let copy = try copied(bert)
        try anna.start()
        try waitForDelivery(of: waiting, by: bert, anna)
        try waitForDelivery(of: try say("since then", as: bert, to: anna), by: bert, anna)

        try restore(bert, from: copy)
        try waitForDelivery(of: waiting, by: bert, anna)
        try waitForDelivery(of: try say("after", as: bert, to: anna), by: bert, anna)
        try waitForDelivery(of: try say("answer", as: anna, to: bert), by: anna, bert)
        #expect(try texts(at: anna, with: bert) == ["waiting", "since then", "after", "answer"])
        #expect(try texts(at: bert, with: anna) == ["waiting", "after", "answer"])
    }

    @Test("Friends see the profile that the copy has, and the next change too")
    func card() throws {
        let (anna, bert) = try friends()
        let id = try bert.account.id
        func expectShown(_ name: String, _ status: String) throws {
            try Patience.until("\(name), \(status)", report: anna.logTail + bert.logTail) {
                let contact = try anna.contact(id)
                return contact?.displayName == name && contact?.statusText == status
            }
        }
        let copy = try copied(bert)
        try bert.call("account.update", ["displayName": "Berta"])
        for number in 1...3 { try bert.call("account.update", ["statusText": .string("\(number)")]) }
        try expectShown("Berta", "3")
        try restore(bert, from: copy)
        try expectShown("Bert", "")
        try bert.call("account.update", ["statusText": "back"])
        try expectShown("Bert", "back")
    }

    @Test("Transfers that the copy believes to be under way come to their end, on both sides")
    func transfers() throws {
        let (anna, bert) = try friends()
        let path = anna.directory.file("plan.txt")
        try TextFile.write("the plan".utf8, to: path)
        let inbox = try bert.directory.makeDirectory("inbox")
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let (sender, receiver) = (try copied(anna), try copied(bert))
        func accept() throws {
            try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
            #expect(try FileProcessTests.waitForEnd(id, at: bert).state == .done)
        }
        try Patience.until("the offer", report: bert.logTail) {
            try FileProcessTests.transfer(id, at: bert).state == .offered
        }
        try accept()
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)

        // The sender believes that it has no answer yet.
        try restore(anna, from: sender)
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)
        // The receiver believes that the file was only offered, and takes it once more.
        try restore(bert, from: receiver)
        #expect(try FileProcessTests.transfer(id, at: bert).state == .offered)
        try accept()
        #expect(try FileProcessTests.transfer(id, at: anna).state == .done)
        #expect(Set(TemporaryDirectory.names(in: inbox)) == ["plan.txt", "plan (1).txt"])
    }
}
