import Basics
import ControlProtocol
import TestSupport
import Testing
import Vocabulary

/// The members of a group, each with a window that rings. All are friends of the first one, and of no other.
final class GroupCallScene {
    let scene: GroupScene
    let windows: [CallScene.Window]
    /// The group's conversation at each.
    private(set) var conversations: [String] = []

    var anna: CallScene.Window { windows[0] }
    var bert: CallScene.Window { windows[1] }
    var cora: CallScene.Window { windows[2] }

    /// - Parameter members: how many of them are in the group from the beginning.
    init(_ names: [String] = ["Anna", "Bert", "Cora"], members: Int? = nil) throws {
        scene = try GroupScene(names, members: members)
        windows = try scene.people.enumerated().map {
            try CallScene.Window($0.element, number: UInt64($0.offset + 1), notifies: true)
        }
        let count = members ?? names.count
        conversations = try scene.people.prefix(count).map { try scene.conversation(at: $0) }
        for person in scene.people.prefix(count) { try waitForSessions(count - 1, at: person) }
    }

    func waitForSessions(_ count: Int, at daemon: DaemonProcess) throws {
        try Patience.until("\(count) sessions of \(daemon.name)", report: daemon.logTail) {
            try DaemonStatus(json: daemon.call("system.status")).sessions >= Int64(count)
        }
    }

    func account(_ window: CallScene.Window) throws -> String { try window.daemon.account.id }

    func start(_ window: CallScene.Window) throws -> Call {
        var params = window.seatParameters
        params["conversation"] = .string(try scene.conversation(at: window.daemon))
        params["media"] = "audio"
        return try Call(json: window.daemon.call("call.start", params))
    }

    /// Anna starts a call, and it rings at the others.
    func ring() throws -> String {
        let id = try start(anna).id
        for window in windows.dropFirst() { try window.wait(.incoming, id) }
        try anna.wait(.ringing, id)
        return id
    }

    /// All take part.
    func talk() throws -> String {
        let id = try ring()
        for window in windows.dropFirst() { _ = try window.accept(id) }
        for window in windows { try wait(for: windows, in: id, at: window) }
        return id
    }

    /// Waits until a window sees exactly these in the call.
    func wait(for others: [CallScene.Window], in id: String, at window: CallScene.Window) throws {
        let wanted = Set(try others.filter { $0 !== window }.map(account))
        try Patience.until(
            "\(window.daemon.name) to see \(others.map(\.daemon.name))", report: window.daemon.logTail
        ) {
            let call = try window.open(id)
            let seen = (call?.participants ?? []).filter { $0.state == .joined && $0.reachable }.map(\.account)
            let others = (call?.participants ?? []).filter { $0.state?.rings != true }
            return Set(seen) == wanted && others.count == seen.count
        }
    }

    /// Waits until what stays of the call says so at a window.
    @discardableResult
    func wait(for outcome: CallOutcome, _ id: String, at window: CallScene.Window) throws -> Message {
        try Patience.until("\(outcome) at \(window.daemon.name)", report: window.daemon.logTail) {
            let record = try window.record(id)
            return record.call?.outcome == outcome ? record : nil
        }
    }
}
