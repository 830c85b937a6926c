import Basics
import Messaging
import PeerProtocol
import Store

@testable import Daemon

/// One daemon without a network, its client, and a friend whose frames a test makes by hand.
struct Scene {
    let simulation: Simulation
    var client = SimulatedClient()
    var peer: SimulatedPeer { simulation.peers[0] }
    var friend: AccountID { simulation.peers[1].account }

    init() throws {
        simulation = try Simulation(seed: 1)
        let friend = friend
        try write { _ = try $0.openConversation(with: friend, newID: UUIDv7(high: 7, low: 7)) }
        try peer.database.read { try client.reload($0) }
    }

    @discardableResult
    func write<Value>(_ body: @escaping (WriteTransaction) throws -> Value) throws -> Value {
        var result: Result<Value, any Error> = .failure(StoreError.closed)
        peer.database.submit(body) { result = $0 }
        peer.database.runGroup(100)
        return try result.get()
    }

    /// What the last commit changed for those who hold it in memory.
    var changed: ChangedRows { peer.database.changed }

    func read<Value>(_ body: (ReadTransaction) throws -> Value) rethrows -> Value { try peer.database.read(body) }

    /// - Returns: the id of a message of ours to the friend.
    @discardableResult
    func send(_ text: String, key: String? = nil) throws -> UUIDv7 {
        let (peer, friend) = (peer, friend)
        return try write { transaction in
            var draft = Draft(
                own: peer.account, device: peer.person.peer.device, text: text, replyTo: nil, key: key,
                now: transaction.wallTime)
            draft.target = .contact(friend)
            return try draft.commit(in: transaction).id
        }
    }

    @discardableResult
    func amend<Value>(_ body: @escaping (Amendments) throws -> Value) throws -> Value {
        let own = peer.account
        return try write { try body(Amendments(own: own, transaction: $0)) }
    }

    /// Commits frames of the friend.
    @discardableResult
    func hear(_ frames: DurableFrame...) throws -> [CommitOutcome] {
        let committer = IncomingCommitter(peer: simulation.peers[1].person.peer, name: nil, choices: .stored)
        return try write { try committer.commit(frames, in: $0).outcomes.map(\.outcome) }
    }

    /// Restarts the daemon with a clock that was set in between.
    func restart(settingClockBy duration: Duration) throws {
        peer.crash()
        peer.clocks.skew += duration
        try peer.start(simulation.peers.filter { $0 !== peer })
    }

    /// Deletes the conversation with the friend, and its rows too.
    func deleteConversation(keepingRows: Bool = false) throws {
        let friend = friend
        try write { transaction in
            guard let row = try transaction.conversation(with: friend) else { return }
            _ = try transaction.remove(conversation: row.id)
            while !keepingRows, try transaction.removeDoomed(limit: 10) {}
        }
    }

    /// Returns the kinds of the frames that wait for the friend.
    func waiting() throws -> [FrameKind] {
        try read { try $0.outbox(for: friend, limit: 100, maximumBytes: 1 << 20) }.map { FrameKind(rawValue: $0.kind) }
    }

    mutating func differences() throws -> [String] {
        try peer.database.read { try client.differences($0) }
    }
}
