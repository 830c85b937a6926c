import ControlProtocol
import TestSupport
import Testing

/// Friends that know each other by address only: there are no announcements and no configured peers.
@Suite("Daemons without announcements", .serialized)
struct ReconnectProcessTests {
    private func waitOnline(_ daemon: DaemonProcess, _ id: String) throws {
        try Patience.until("\(daemon.name) to see its friend", within: .seconds(20), report: daemon.logTail) {
            try daemon.contact(id)?.presence == .online
        }
    }

    @Test("Friends that met by address find each other again, whichever of them is restarted")
    func restart() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let bert = try DaemonProcess.launch(name: "Bert")
        try anna.befriend(bert)
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        for daemon in [anna, bert] { daemon.options.listen = try daemon.listenAddress }
        for daemon in [bert, anna] {
            try daemon.stop()
            try daemon.start()
            try waitOnline(anna, bertID)
            try waitOnline(bert, annaID)
        }
    }

    @Test("An acceptance long after the request reaches the asker")
    func lateAnswer() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let bert = try DaemonProcess.launch(name: "Bert")
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        try anna.call("contact.request", ["address": .string(try bert.listenAddress)])
        try Patience.until("the session of strangers to end", within: .seconds(30), report: bert.logTail) {
            try bert.contact(annaID)?.relation == .incoming && bert.status.sessions == 0
        }
        try bert.call("contact.accept", ["id": .string(annaID)])
        try Patience.until("Anna to hear of it", within: .seconds(20), report: anna.logTail + bert.logTail) {
            try anna.contact(bertID)?.relation == .friend
        }
    }

    @Test("The same key gives the same message again, also when its file is gone")
    func keyAfterFileIsGone() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let bert = try DaemonProcess.launch(name: "Bert")
        try anna.befriend(bert)
        let path = anna.directory.file("note.txt")
        try TextFile.write(Array("once".utf8), to: path)
        let request: JSONObject = [
            "to": .string(try bert.account.id), "files": .array([.string(path)]), "key": .string("k1"),
        ]
        let first = try Message(json: anna.call("message.send", request))
        TemporaryDirectory.remove(path)
        #expect(try Message(json: anna.call("message.send", request)).id == first.id)
    }
}
