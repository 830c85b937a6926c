import Basics
import ControlProtocol
import Store
import TestSupport
import Testing

@testable import Daemon

/// A program that follows events alone must show what a fresh look would show, in all fields.
@Suite("Deltas: a snapshot with the events behind it equals a fresh snapshot")
struct DeltaTests {
    @Test(
        "All programs agree after storms, whether they read late, in pieces or twice",
        arguments: (0..<(Thorough.isWanted ? 12 : 2)).map { $0 * 10 + 5000 })
    func storms(first: UInt64) throws {
        for seed in first..<first + 10 {
            let simulation = try Simulation(seed: seed, hasClients: true)
            _ = try simulation.run(operations: 70)
            let problems = try simulation.clientProblems()
            #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(4).joined(separator: "\n"))")
        }
    }

    @Test("A contact's names are titles of its conversation")
    func titles() throws {
        var scene = try Scene()
        let friend = scene.friend
        try scene.write { transaction in
            var row = try #require(try transaction.contact(friend))
            row.alias = "Bert"
            try transaction.save(row)
        }
        #expect(try scene.differences() == [])
        #expect(scene.client.picture.conversations.values.first?.object?["title"]?.string == "Bert")
    }

    @Test("A contact that was removed and comes back gives its conversation its title again")
    func returning() throws {
        var scene = try Scene()
        let friend = scene.friend
        let row = try #require(try scene.peer.database.read { try $0.contact(friend) })
        try scene.write { try $0.removeContact(friend) }
        #expect(try scene.differences() == [])
        try scene.write { try $0.save(row) }
        #expect(try scene.differences() == [])
    }

    @Test("A removed message stays removed, whatever else the same commit says about it")
    func removedInPassing() throws {
        var scene = try Scene()
        let id = try scene.send("x")
        #expect(try scene.differences() == [])
        try scene.amend {
            _ = try $0.deleteForMe(id)
            $0.transaction.changed(.message(id), .update)
        }
        #expect(try scene.differences() == [])
        #expect(scene.client.picture.messages.isEmpty)
    }
}
