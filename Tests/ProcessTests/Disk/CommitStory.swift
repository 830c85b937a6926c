import Basics
import ControlProtocol
import Crypto
import TestSupport
import Testing

/// What two friends do with each other, one round after another: messages, a group, files, pictures, changes of
/// contacts, calls. After each round everything has to come to rest, whatever the disks did meanwhile.
struct CommitStory {
    let disk: TestDisk
    let anna: DaemonProcess
    let bert: DaemonProcess
    private let group: String
    private let chats: [String]
    let groups: [String]
    private let ids: [String]
    let file: String
    private let pictures: [String]
    private let windows: [CallScene.Window]
    private var texts: [String] = []
    private var calls: [String] = []
    private var round = 0

    init() throws {
        disk = try TestDisk()
        (anna, bert) = try TestDiskTests.friends(on: disk, isLogged: false)
        chats = [try anna.conversation(with: bert), try bert.conversation(with: anna)]
        ids = [try anna.account.id, try bert.account.id]
        windows = try [anna, bert].enumerated().map {
            try CallScene.Window($0.element, number: UInt64($0.offset + 1), notifies: true)
        }
        let made = try anna.call("group.create", ["name": "Boat", "members": [.string(ids[1])]])
        group = try #require(made["id"]?.string)
        groups = try [anna, bert].map { [group] daemon in
            try Patience.until("\(daemon.name)'s group", report: daemon.logTail) {
                (try? daemon.call("group.get", ["id": .string(group)]))?["conversation"]?.string
            }
        }
        file = anna.directory.file("report.bin")
        try TextFile.write(FileProcessTests.content(300_001, seed: 9), to: file)
        pictures = try [40, 60].map { [anna] size in
            let path = anna.directory.file("face\(size).png")
            try TextFile.write(SampleFiles.png(width: size, height: size), to: path)
            return path
        }
    }

    /// Calls again after the disk has caused a refusal, as a user does.
    @discardableResult
    func insist(_ daemon: DaemonProcess, _ method: String, _ parameters: JSONObject) throws -> JSONValue {
        try Patience.until("\(daemon.name): \(method)", report: daemon.logTail) {
            do { return try daemon.call(method, parameters) } catch ClientError.refused(let error) {
                let passing: Set<String> = ["no_space", "internal", "busy"]
                guard passing.contains(error.data?["kind"]?.string ?? "") else { throw ClientError.refused(error) }
                return nil
            }
        }
    }

    /// Runs one round, in which a commit of one side fails.
    /// - Returns: whether one did; otherwise the round has no more commits than that.
    mutating func run(_ failure: TestDisk.Rule.Failure, at victim: DaemonProcess, skipping: Int) throws -> Bool {
        let before = disk.hits(at: victim)
        try disk.fail([.transaction(failure, skip: skipping)], at: victim)
        let transfer = try act()
        let hasFailed = disk.hits(at: victim) > before
        try disk.fail([], at: victim)
        try rest(transfer)
        return hasFailed
    }

    /// - Returns: the file's transfer.
    private mutating func act() throws -> String {
        round += 1
        let own = (0..<4).map { "\(round).\($0)" }
        texts += own
        let first = try insist(anna, "message.send", ["conversation": .string(chats[0]), "text": .string(own[0])])
        try insist(bert, "message.send", ["conversation": .string(chats[1]), "text": .string(own[1])])
        try insist(anna, "message.send", ["conversation": .string(groups[0]), "text": .string(own[2])])
        try insist(bert, "message.send", ["conversation": .string(groups[1]), "text": .string(own[3])])
        try insist(anna, "message.react", ["id": .string(try Message(json: first).id), "emoji": "👍"])
        try insist(anna, "account.update", ["avatarPath": .string(pictures[round % 2]), "statusText": .string(own[0])])
        try insist(
            bert, "contact.update", ["id": .string(ids[0]), "alias": .string("Anna \(round)")])
        for conversation in [chats[0], groups[0]] { try call(in: conversation) }
        let sent = try insist(anna, "transfer.send", ["to": .string(ids[1]), "paths": [.string(file)]])
        let id = try Transfer(json: try #require(sent["transfers"]?.array?.first)).id
        try Patience.until("the offer", report: anna.logTail + bert.logTail) {
            (try? FileProcessTests.transfer(id, at: bert))?.state == .offered
        }
        try insist(bert, "transfer.accept", ["id": .string(id)])
        for daemon in [anna, bert] { _ = try FileProcessTests.waitForEnd(id, at: daemon, within: .seconds(20)) }
        return id
    }

    /// Anna calls in a conversation, Bert answers, and they hang up. What of it can't be stored at once is stored later.
    private mutating func call(in conversation: String) throws {
        var params = windows[0].seatParameters
        params["conversation"] = .string(conversation)
        params["media"] = "audio"
        let call = try Call(json: try insist(anna, "call.start", params))
        calls.append(call.id)
        try windows[1].wait(.incoming, call.id)
        _ = try windows[1].accept(call.id)
        for window in windows {
            try Patience.until("both to be in the call at \(window.daemon.name)", report: window.daemon.logTail) {
                try window.open(call.id)?.participants.contains { $0.state == .joined } == true
            }
            try window.report(call.id)
        }
        // A call between two ends with the first of them, one of a group with the last.
        for window in windows where try window.open(call.id) != nil { _ = try? window.call("call.hangup", call.id) }
        for window in windows { try window.waitForEnd(call.id) }
    }

    /// Waits until everything is in its place, once.
    private func rest(_ transfer: String) throws {
        let report = { anna.logTail + bert.logTail }
        try Patience.until("everything to be delivered", report: report()) {
            try anna.status.queued == 0 && bert.status.queued == 0
        }
        for daemon in [anna, bert] {
            let ended = try FileProcessTests.transfer(transfer, at: daemon)
            #expect(ended.state == .done, "\(daemon.name): \(ended)")
            #expect(ended.bytesDone == ended.size)
        }
        let path = try #require(try FileProcessTests.transfer(transfer, at: bert).path)
        #expect(try TextFile.holds(path, TextFile.bytes(file)))
        for (index, daemon) in [anna, bert].enumerated() {
            let all =
                try MessageProcessTests.texts(daemon, chats[index]).filter { !$0.isEmpty }
                + MessageProcessTests.texts(daemon, groups[index]).filter { !$0.isEmpty }
            let wanted = texts.suffix(4)
            for text in wanted {
                #expect(all.count { $0 == text } == 1, "\(daemon.name): \(text) in \(all.suffix(12))")
            }
        }
        let picture = try anna.account.avatar?.split(separator: "/").last
        let status = try anna.account.statusText
        try Patience.until("Anna's picture and status", report: report()) {
            let contact = try bert.contact(ids[0])
            return contact?.avatar?.split(separator: "/").last == picture && contact?.statusText == status
                && contact?.alias == "Anna \(round)"
        }
        for window in windows {
            for id in calls.suffix(2) { #expect(try window.record(id).call?.outcome == .answered) }
            let records = try window.daemon.call("call.history", ["limit": 50])["messages"]?.array ?? []
            #expect(Set(records.compactMap { $0["id"]?.string }).count == records.count)
            #expect(records.count == min(calls.count, 50), "\(window.daemon.name)")
        }
        for daemon in [anna, bert] {
            let open = try daemon.call("transfer.list", ["limit": 100])["transfers"]?.array ?? []
            for json in open {
                let state = try Transfer(json: json).state
                #expect(state == .done, "\(daemon.name): a transfer is left \(state)")
            }
        }
    }
}
