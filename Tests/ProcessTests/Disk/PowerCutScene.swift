import Basics
import ControlProtocol
import Store
import TestSupport

/// Two friends whose disks are recorded while they do much at once. Their disks are then put into the state after power
/// cuts at any moment.
final class PowerCutScene {
    /// A statement of a daemon that must hold after every later cut.
    private struct Promise {
        /// The log's position when the answer came.
        let position: Int
        let text: String
        let isInGroup: Bool
        let author: Int
    }

    private let disk: TestDisk
    private let daemons: [DaemonProcess]
    private let chats: [String]
    private let groups: [String]
    private let content: [UInt8]
    private var promises: [Promise] = []
    /// The transfers that Bert was told to be done, with the log's positions.
    private var done: [(id: String, position: Int)] = []
    /// The calls whose record both have seen, with the log's positions.
    private var calls: [(id: String, position: Int)] = []
    /// The log's position at the beginning of the storm.
    private let begin: Int
    private let log: DiskLog

    /// - Parameter rounds: the number of rounds of the storm.
    init(rounds: Int) throws {
        disk = try TestDisk()
        let (anna, bert) = try TestDiskTests.friends(on: disk)
        daemons = [anna, bert]
        chats = [try anna.conversation(with: bert), try bert.conversation(with: anna)]
        let made = try anna.call("group.create", ["name": "Boat", "members": [.string(try bert.account.id)]])
        let group = made["id"]?.string ?? ""
        groups = try daemons.map { daemon in
            try Patience.until("\(daemon.name)'s group", report: daemon.logTail) {
                (try? daemon.call("group.get", ["id": .string(group)]))?["conversation"]?.string
            }
        }
        content = FileProcessTests.content(200_001, seed: 4)
        begin = disk.position
        for round in 0..<rounds {
            try Self.storm(round, daemons, chats, groups, content, disk, &promises, &done)
            calls.append((try Self.talk(daemons, chats), disk.position))
        }
        for daemon in daemons { daemon.kill() }
        log = try disk.log()
        for daemon in daemons { disk.release(daemon) }
    }

    private static func storm(
        _ round: Int, _ daemons: [DaemonProcess], _ chats: [String], _ groups: [String], _ content: [UInt8],
        _ disk: TestDisk, _ promises: inout [Promise], _ done: inout [(id: String, position: Int)]
    ) throws {
        let path = daemons[0].directory.file("report\(round).bin")
        try TextFile.write(content, to: path)
        let sent = try daemons[0].call(
            "transfer.send", ["to": .string(try daemons[1].account.id), "paths": [.string(path)]])
        let id = try (sent["transfers"]?.array ?? []).map { try Transfer(json: $0) }.first?.id ?? ""
        for (author, daemon) in daemons.enumerated() {
            let client = try daemon.connect()
            var asked: [Int64: (String, Bool)] = [:]
            for number in 0..<12 {
                let (text, isInGroup) = ("\(round).\(author).\(number)", number % 3 == 0)
                let conversation = isInGroup ? groups[author] : chats[author]
                let request = try client.send(
                    "message.send", ["conversation": .string(conversation), "text": .string(text)])
                asked[request] = (text, isInGroup)
            }
            while !asked.isEmpty {
                let reply = try client.nextReply(timeout: Patience.usual)
                guard case .integer(let number) = reply.id, let (text, isInGroup) = asked.removeValue(forKey: number),
                    case .result = reply.outcome
                else { continue }
                promises.append(
                    Promise(position: disk.position, text: text, isInGroup: isInGroup, author: author))
            }
        }
        try Patience.until("the offer", report: daemons[1].logTail) {
            (try? FileProcessTests.transfer(id, at: daemons[1]))?.state == .offered
        }
        try daemons[1].call("transfer.accept", ["id": .string(id)])
        guard try FileProcessTests.waitForEnd(id, at: daemons[1]).state == .done else { return }
        done.append((id, disk.position))
    }

    /// - Returns: a call that was answered and is over.
    private static func talk(_ daemons: [DaemonProcess], _ chats: [String]) throws -> String {
        let windows = try daemons.enumerated().map {
            try CallScene.Window($0.element, number: UInt64($0.offset + 1), notifies: true)
        }
        var params = windows[0].seatParameters
        params["conversation"] = .string(chats[0])
        params["media"] = "audio"
        let id = try Call(json: daemons[0].call("call.start", params)).id
        try windows[1].wait(.incoming, id)
        _ = try windows[1].accept(id)
        try windows[0].wait(.connecting, id)
        _ = try windows[1].call("call.hangup", id)
        for window in windows { _ = try window.record(id) }
        return id
    }

    /// Cuts the power at a moment of the storm, starts both daemons, and lets them come to rest.
    /// - Parameter victims: the daemons whose hosts lose their power; the other one is killed at the same moment, and
    ///   its disk goes on.
    /// - Returns: the promises that don't hold.
    func cut(
        _ victims: [Int], _ loss: PowerCut.Loss, ignoresSyncs: Bool = false,
        using random: inout some RandomNumberGenerator
    ) throws -> [String] {
        for daemon in daemons { daemon.kill() }
        let moments = log.ends.filter { $0 > begin }
        let position = moments.randomElement(using: &random) ?? begin
        let cut = PowerCut(
            victims.map { PowerCut.Side(roots: TestDisk.roots(of: daemons[$0]), loss: loss) },
            ignoresSyncs: ignoresSyncs)
        try cut.state(of: log, at: position, using: &random).write()
        var problems: [String] = []
        for daemon in daemons {
            let health = Store.examine(directory: daemon.dataPath, within: .seconds(20), clocks: SystemClocks())
            if health != .sound { problems.append("\(daemon.name)'s database: \(health)") }
        }
        guard problems.isEmpty else { return problems }
        do {
            for daemon in daemons { try daemon.start() }
            problems = try look(after: position)
        } catch { problems.append("\(error)") }
        return problems.map { "cut at \(position) of \(log.ends.last ?? 0), \(victims), \(loss): \($0)" }
    }

    private func look(after position: Int) throws -> [String] {
        var problems: [String] = []
        try Patience.until("everything to be delivered", report: daemons.map(\.logTail).joined()) {
            try daemons.allSatisfy { try $0.status.queued == 0 }
        }
        var found: [[[String]]] = []
        for (index, daemon) in daemons.enumerated() {
            found.append(
                try [chats, groups].map { try MessageProcessTests.texts(daemon, $0[index]).filter { $0.contains(".") } }
            )
        }
        for promise in promises where promise.position <= position {
            for (index, daemon) in daemons.enumerated() {
                let count = found[index][promise.isInGroup ? 1 : 0].count { $0 == promise.text }
                if count != 1 { problems.append("\(promise.text) is \(count) times at \(daemon.name)") }
            }
        }
        for kind in 0...1 where Set(found[0][kind]) != Set(found[1][kind]) {
            problems.append(
                "they have other texts: \(Set(found[0][kind]).symmetricDifference(found[1][kind]).sorted())")
        }
        for index in 0...1 {
            for texts in found[index] where Set(texts).count != texts.count {
                problems.append("something is there twice")
            }
        }
        return problems + (try lookAtFiles(after: position)) + (try lookAtCalls(after: position))
    }

    private func lookAtCalls(after position: Int) throws -> [String] {
        var problems: [String] = []
        for daemon in daemons {
            let records = try (daemon.call("call.history")["messages"]?.array ?? []).map { try Message(json: $0) }
            for (id, told) in calls where told <= position {
                let outcomes = records.filter { $0.id == id }.map { $0.call?.outcome }
                if outcomes != [.answered] { problems.append("the call \(id) is \(outcomes) at \(daemon.name)") }
            }
            if Set(records.map(\.id)).count != records.count { problems.append("a call is there twice") }
        }
        return problems
    }

    private func lookAtFiles(after position: Int) throws -> [String] {
        var problems: [String] = []
        let json = try daemons[1].call("transfer.list", ["limit": 100])["transfers"]?.array ?? []
        let all = try json.map { try Transfer(json: $0) }
        for (id, told) in done where told <= position {
            if all.first(where: { $0.id == id })?.state != .done { problems.append("the file \(id) is not done") }
        }
        for transfer in all where transfer.state == .done {
            let bytes = transfer.path.flatMap { try? TextFile.bytes($0) }
            if bytes != content {
                problems.append("the file \(transfer.path ?? "?") is said to be done and is not whole")
            }
        }
        return problems
    }
}
