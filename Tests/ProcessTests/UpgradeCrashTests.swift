import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import Store

/// Kills a daemon again and again while it upgrades the database of an older version.
@Suite("Crashes in an upgrade of the database", .serialized)
struct UpgradeCrashTests {
    @Test("Whenever an upgrade is killed, the next one goes on; all that waited comes, once and in order")
    func killed() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let chat = try anna.conversation(with: bert)
        _ = try bert.conversation(with: anna)
        try bert.stop()
        let client = try anna.connect()
        let (count, others) = (1500, 60_000)
        let filling = String(repeating: "many words ", count: 40)
        var asked: Set<Int64> = []
        for number in 0..<count {
            let text = "\(number) \(filling)"
            asked.insert(try client.send("message.send", ["conversation": .string(chat), "text": .string(text)]))
            while asked.count > 100, let reply = try? client.nextReply(timeout: Patience.usual) {
                if case .integer(let id) = reply.id { asked.remove(id) }
            }
        }
        while !asked.isEmpty, let reply = try? client.nextReply(timeout: Patience.usual) {
            if case .integer(let id) = reply.id { asked.remove(id) }
        }
        #expect(asked.isEmpty)
        try anna.stop()
        let path = anna.dataPath + "/" + Store.fileName
        let connection = try Connection(path: path, purpose: .writer)
        try connection.execute(OlderDatabase.version27)
        // The upgrade has to move 60,000 more items, for somebody who never comes, so it lasts long enough to be killed.
        try connection.execute(
            """
            INSERT INTO key (bytes) VALUES (randomblob(32));
            WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(others))
            INSERT INTO outbox (account, id, kind, created_at, body)
                SELECT (SELECT max(number) FROM key), randomblob(16), 52, 0, randomblob(400) FROM counter;
            """)
        connection.close()
        var random = SeededGenerator(seed: 7)
        var (upgraded, killed) = (0, 0)
        for _ in 0..<12 where upgraded == 0 {
            let before = anna.log.utf8.count
            try anna.spawn()
            // From the moment of which the log tells, an upgrade is under way.
            try Patience.until("the upgrade to begin", report: anna.logTail) {
                anna.log.dropFirst(before).contains("upgrading the database")
            }
            usleep(UInt32.random(in: 0...200_000, using: &random))
            anna.kill()
            let looking = try Connection(path: path, purpose: .writer)
            let version = try Migrations.version(of: looking)
            #expect(27...Migrations.all.count ~= version)
            #expect(try looking.integer(SQL("SELECT count(*) FROM outbox")) == Int64(count + others))
            if version > 27 { upgraded += 1 } else { killed += 1 }
            looking.close()
        }
        #expect(killed > 0, "no kill fell into the upgrade")
        try anna.start()
        try bert.start()
        try Patience.until("all to be delivered", within: .seconds(90), report: anna.logTail + bert.logTail) {
            try anna.status.queued == others
        }
        let texts = try MessageProcessTests.texts(bert, try bert.conversation(with: anna))
        #expect(texts == (0..<count).map { "\($0) \(filling)" })
    }
}
