import Basics
import ControlProtocol
import TestSupport
import Testing

/// Several real daemons on a discovery port of their own, with one group. All are friends of the first one, and of no
/// other.
struct GroupScene {
    var people: [DaemonProcess]
    /// The group's id.
    let group: String

    /// - Parameters:
    ///   - members: the number of members from the beginning, with the first daemon.
    ///   - environment: further environment of the last daemon.
    init(_ names: [String], members: Int? = nil, history: Int64 = 0, environment: [String: String] = [:]) throws {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        people = []
        for (index, name) in names.enumerated() {
            if index == names.count - 1 { options.environment = environment }
            people.append(try DaemonProcess.launch(name: name, options: options))
        }
        for other in people.dropFirst() { try people[0].befriend(other) }
        let invited = try people.dropFirst().prefix((members ?? names.count) - 1).map {
            JSONValue.string(try $0.account.id)
        }
        let created = try people[0].call(
            "group.create",
            ["name": "Boat", "members": .array(Array(invited)), "history": .integer(history)])
        group = try #require(created["id"]?.string)
        for person in people.prefix(members ?? names.count) { try waitFor(members ?? names.count, at: person) }
    }

    /// The group as one daemon has it; nil before that.
    func shown(at daemon: DaemonProcess) throws -> JSONValue? {
        do {
            return try daemon.call("group.get", ["id": .string(group)])
        } catch ClientError.refused(let error) where error.kind == .notFound {
            return nil
        }
    }

    /// Waits until a daemon is a member of a group of this size.
    func waitFor(_ count: Int, at daemon: DaemonProcess) throws {
        try Patience.until("\(daemon.name): a group of \(count)", report: daemon.logTail) {
            let shown = try shown(at: daemon)
            return shown?["state"]?.string == "member" && shown?["members"]?.array?.count == count
        }
    }

    /// Sends a file of its own to the group.
    func share(_ text: String, as name: String, from member: DaemonProcess) throws {
        let path = member.directory.file(name)
        try TextFile.write(text.utf8, to: path)
        _ = try member.call(
            "message.send", ["conversation": .string(try conversation(at: member)), "files": [.string(path)]])
    }

    func conversation(at daemon: DaemonProcess) throws -> String {
        try Patience.until("\(daemon.name)'s conversation", report: daemon.logTail) {
            try shown(at: daemon)?["conversation"]?.string
        }
    }

    @discardableResult
    func say(_ text: String, as daemon: DaemonProcess, replyTo: String? = nil) throws -> Message {
        var parameters: JSONObject = ["conversation": .string(try conversation(at: daemon)), "text": .string(text)]
        if let replyTo { parameters["replyTo"] = .string(replyTo) }
        return try Message(json: daemon.call("message.send", parameters))
    }

    /// The texts of all messages, without the lines that tell of changes.
    func texts(at daemon: DaemonProcess) throws -> [String] {
        try messages(at: daemon).filter { $0.kind != .system }.map(\.text)
    }

    func messages(at daemon: DaemonProcess) throws -> [Message] {
        let page = try daemon.call(
            "message.list", ["conversation": .string(try conversation(at: daemon)), "limit": 500])
        return try (page["messages"]?.array ?? []).map { try Message(json: $0) }
    }

    /// The lines that tell of changes.
    func lines(at daemon: DaemonProcess) throws -> [Message.Line] {
        try messages(at: daemon).filter { $0.kind == .system }.compactMap(\.line)
    }

    /// Waits until a daemon has exactly these texts.
    func wait(for texts: [String], at daemon: DaemonProcess, within limit: Duration = Patience.usual) throws {
        var last: [String] = []
        do {
            try Patience.until("\(daemon.name): \(texts)", within: limit, report: daemon.logTail) {
                last = try self.texts(at: daemon)
                return last == texts
            }
        } catch {
            Issue.record("\(daemon.name) has \(last)")
            throw error
        }
    }

    func message(_ id: String, at daemon: DaemonProcess) throws -> Message? {
        do {
            return try Message(json: daemon.call("message.get", ["id": .string(id)]))
        } catch ClientError.refused(let error) where error.kind == .notFound {
            return nil
        }
    }

    func wait(_ what: String, for id: String, at daemon: DaemonProcess, _ isSo: (Message) -> Bool) throws {
        try Patience.until(what, report: daemon.logTail) { try message(id, at: daemon).map(isSo) ?? false }
    }
}
