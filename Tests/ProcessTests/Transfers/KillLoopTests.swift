import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Kills daemons at random moments of a transfer. KIBO_KILLS sets how often each side is killed (6 by default, 24 with
/// --thorough).
@Suite("Transfers killed at random moments", .serialized)
struct KillLoopTests {
    private static let size = 256 << 20
    /// Bytes that may be sent again after a break, on average: 64 MiB that a checkpoint lacks, the bytes on their way,
    /// and what else a daemon writes (its database), which is counted too. A single break may cost two seconds' work,
    /// which is more on a slow disk.
    private static let again: Int64 = (64 + 16) << 20

    private static var kills: Int {
        getenv("KIBO_KILLS").flatMap { Int(String(cString: $0)) } ?? (Thorough.isWanted ? 24 : 6)
    }

    /// Runs one transfer after another, until there were enough kills.
    private struct Loop {
        let anna: DaemonProcess
        let bert: DaemonProcess
        let inbox: String
        var random: SeededGenerator
        var transfers = 0
        var kills = 0
        /// Kills while bytes were coming in.
        var hits = 0
        /// The most that one break cost, and all of them together.
        var worst: Int64 = 0
        var sum: Int64 = 0

        /// Bytes that the receiver has written since its start.
        func written() -> Int64 {
            guard let pid = bert.pid, let text = try? TextFile.text("/proc/\(pid)/io") else { return 0 }
            let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
            return line?.split(separator: " ").last.flatMap { Int64($0) } ?? 0
        }

        /// Kills one side somewhere in a transfer again and again, until the transfer is done or there were enough
        /// kills.
        mutating func run(_ id: String, killsSender: Bool, upTo wanted: Int) throws {
            // The bytes that were there at the last count, and the count.
            var base: Int64 = 0
            var count = written()
            while kills < wanted {
                waitForMoment(id, after: count)
                if try FileProcessTests.transfer(id, at: bert).state.isOver { break }
                let before = written()
                let isHit = before - count > 1 << 20
                let victim = killsSender ? anna : bert
                victim.kill()
                kills += 1
                if isHit { hits += 1 }
                try victim.start()
                // When a sender is killed, the receiver stops for a moment and writes down what it has.
                let there = try settled(id, killsSender: killsSender)
                let arrived = (killsSender ? written() : before) - count
                let lost = base + arrived - there
                worst = max(worst, lost)
                sum += max(0, lost)
                base = there
                count = killsSender ? written() : 0
            }
        }

        /// Waits for any moment from before the connection up to some 200 MiB into it, or until the transfer is over.
        private mutating func waitForMoment(_ id: String, after count: Int64) {
            let target = Int64.random(in: -20...200, using: &random) << 20
            guard target > 0 else {
                usleep(UInt32.random(in: 0...150_000, using: &random))
                return
            }
            let begin = SystemClocks().now
            while written() - count < target, SystemClocks().now - begin < .seconds(3) {
                usleep(4000)
                if (try? FileProcessTests.transfer(id, at: bert))?.state.isOver == true { return }
            }
        }

        /// Returns the bytes that count after a break.
        private func settled(_ id: String, killsSender: Bool) throws -> Int64 {
            if killsSender {
                try Patience.until("the receiver to notice", report: bert.logTail) {
                    try FileProcessTests.transfer(id, at: bert).state != .active
                }
            }
            return try FileProcessTests.transfer(id, at: bert).bytesDone
        }
    }

    @Test(
        "A transfer is killed at random moments: the file is whole in the end, and few bytes are sent again",
        arguments: [true, false])
    func kills(sender killsSender: Bool) throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let path = anna.directory.file("large.bin")
        let bytes = FileProcessTests.content(Self.size, seed: 7)
        try TextFile.write(bytes, to: path)
        let inbox = try bert.directory.makeDirectory("inbox")
        var loop = Loop(anna: anna, bert: bert, inbox: inbox, random: SeededGenerator(seed: killsSender ? 1 : 2))
        while loop.kills < Self.kills {
            let id = try FileProcessTests.offer(path, from: anna, to: bert)
            try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
            try loop.run(id, killsSender: killsSender, upTo: Self.kills)
            let done = try FileProcessTests.waitForEnd(id, at: bert, within: .seconds(120))
            #expect(done.state == .done, "\(done)\n\(bert.logTail)\(anna.logTail)")
            #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)
            #expect(TemporaryDirectory.names(in: inbox) == ["large.bin"], "partial files are left over")
            #expect(try TextFile.holds(inbox + "/large.bin", bytes))
            unlink(inbox + "/large.bin")
            loop.transfers += 1
        }
        print(
            "\(killsSender ? "sender" : "receiver"): \(loop.kills) kills, \(loop.hits) of them in the stream of "
                + "\(loop.transfers) transfers; at most \(loop.worst >> 20) MiB sent again for one, "
                + "\(loop.sum >> 20) MiB for all")
        #expect(loop.hits * 4 >= loop.kills, "the kills missed the transfers")
        #expect(loop.sum <= Self.again * Int64(loop.kills), "too many bytes are sent again")
    }
}
