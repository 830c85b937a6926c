import Basics
import ControlProtocol
import TestSupport
import Testing

/// A commit of a daemon is refused once (full, failing, held by another process): all comes to rest nevertheless, with nothing lost and
/// nothing twice.
@Suite("Commits that fail once", .serialized)
struct CommitFailureTests {
    private static let failures: [TestDisk.Rule.Failure] = [.full, .inputOutput, .busy]

    @Test("A group's file of which two commits are refused, the second that of its end, goes on", arguments: failures)
    func transferEnd(failure: TestDisk.Rule.Failure) throws {
        let story = try CommitStory()
        for skip in Thorough.isWanted ? Array(1..<8) : [1, 3, 4] {
            // Nobody calls for a group's file: who doesn't fetch it again never has it.
            _ = try story.anna.call(
                "message.send", ["conversation": .string(story.groups[0]), "files": [.string(story.file)]])
            let id = try Patience.until("the offer", report: story.anna.logTail + story.bert.logTail) {
                let all = try story.bert.call("transfer.list", ["limit": 100])["transfers"]?.array ?? []
                return try all.map { try Transfer(json: $0) }.first { $0.state == .offered }?.id
            }
            // The journal's, which ends the attempt, and the next: somewhere among these it is the one that says so.
            try story.disk.fail([.transaction(failure, skip: skip, count: 2)], at: story.bert)
            try story.bert.call("transfer.accept", ["id": .string(id)])
            let done = try FileProcessTests.waitForEnd(id, at: story.bert, within: .seconds(20))
            #expect(done.state == .done)
            #expect(try TextFile.bytes(#require(done.path)) == TextFile.bytes(story.file))
            try story.disk.fail([], at: story.bert)
        }
    }

    @Test("Each commit of a story in turn: messages, a group, files, contacts, pictures", arguments: failures)
    func story(failure: TestDisk.Rule.Failure) throws {
        var story = try CommitStory()
        let number = Self.failures.firstIndex(of: failure) ?? 0
        // A round in which an answer is lost waits for its repetition: the usual ones are few, and others for each failure.
        let victims = Thorough.isWanted ? [story.anna, story.bert] : [number == 1 ? story.anna : story.bert]
        for victim in victims {
            var count = 0
            // Far more than a round has.
            for skip in Thorough.isWanted ? Array(0..<60) : [number, number + 4] {
                guard try story.run(failure, at: victim, skipping: skip) else { break }
                count += 1
            }
            #expect(count > 1, "hardly any commit has failed")
        }
    }
}
