import Basics
import ControlProtocol
import TestSupport
import Testing

/// A daemon's commit is refused once (the disk is full or fails, or another process holds the database): everything
/// comes to rest nevertheless, with nothing lost and nothing twice.
@Suite("Commits that fail once", .serialized)
struct CommitFailureTests {
    private static let failures: [TestDisk.Rule.Failure] = [.full, .inputOutput, .busy]

    @Test("A group's file goes on although two commits are refused, one of them that of its end", arguments: failures)
    func transferEnd(failure: TestDisk.Rule.Failure) throws {
        let story = try CommitStory()
        for skip in Thorough.isWanted ? Array(1..<8) : [1, 3, 4] {
            // The sender doesn't call for a group's file, so a receiver that doesn't fetch it again never gets it.
            _ = try story.anna.call(
                "message.send", ["conversation": .string(story.groups[0]), "files": [.string(story.file)]])
            let id = try Patience.until("the offer", report: story.anna.logTail + story.bert.logTail) {
                let all = try story.bert.call("transfer.list", ["limit": 100])["transfers"]?.array ?? []
                return try all.map { try Transfer(json: $0) }.first { $0.state == .offered }?.id
            }
            // The first refused commit is the journal's, which ends the attempt, and the second is the next one. For
            // one of these numbers that is the commit of the transfer's end.
            try story.disk.fail([.transaction(failure, skip: skip, count: 2)], at: story.bert)
            // Where the daemon commits something of its own before, the refused one can be that of the answer.
            try story.insist(story.bert, "transfer.accept", ["id": .string(id)])
            let done = try FileProcessTests.waitForEnd(id, at: story.bert, within: .seconds(20))
            #expect(done.state == .done)
            #expect(try TextFile.holds(#require(done.path), TextFile.bytes(story.file)))
            try story.disk.fail([], at: story.bert)
        }
    }

    @Test("Each commit of a story fails in turn: messages, a group, files, contacts, pictures", arguments: failures)
    func story(failure: TestDisk.Rule.Failure) throws {
        var story = try CommitStory()
        let number = Self.failures.firstIndex(of: failure) ?? 0
        // A round in which an answer is lost waits for its repetition, so the usual run has few, different ones
        // for each failure.
        let victims = Thorough.isWanted ? [story.anna, story.bert] : [number == 1 ? story.anna : story.bert]
        for victim in victims {
            var count = 0
            // A round has far fewer commits than this.
            for skip in Thorough.isWanted ? Array(0..<60) : [number, number + 4] {
                guard try story.run(failure, at: victim, skipping: skip) else { break }
                count += 1
            }
            #expect(count > 1, "hardly any commit has failed")
        }
    }
}
