import Basics
import Glibc
import TestSupport

/// (c) Many small files: what each costs beyond its bytes. Every contender's copy is on disk at the end.
struct TreeBench {
    let files: Int
    let bytes: Int
    let rounds: Int
    let directory: String
    let contenders: [Contender]

    func run() throws {
        let place = directory + "/kibo-bench.\(getpid())"
        guard mkdir(place, 0o700) == 0 else { throw SystemError("mkdir \(place)") }
        defer { TemporaryDirectory.remove(place) }
        let source = place + "/tree"
        try make(source)
        let load = try TransferLoad()
        var contest = CopyContest(rounds: rounds, contenders: contenders, place: place)
        let text = { (seconds: Double) in Figures.text(seconds, digits: 2) + " s" }
        let shell = contest
        try contest.run(source, keeps: true, text: text) { folder, round in
            let seconds = try load.transfer(source, to: folder)
            if round == 1 { try shell.shell("diff -r \"$SOURCE\" \"$DESTINATION\"", source, folder + "/tree") }
            return seconds
        }
        report("\(files) files of \(bytes) bytes, median of \(rounds) rounds in turn:")
        contest.summarise(text)
        try load.reportDaemons(transfers: rounds)
    }

    /// Makes a hundred files per folder, each with different bytes.
    private func make(_ source: String) throws {
        var random = SeededGenerator(seed: 1)
        for number in 0..<files {
            let folder = "\(source)/folder\(number / 100)"
            if number == 0 { guard mkdir(source, 0o755) == 0 else { throw SystemError("mkdir \(source)") } }
            if number % 100 == 0 { guard mkdir(folder, 0o755) == 0 else { throw SystemError("mkdir \(folder)") } }
            var content: [UInt8] = []
            content.reserveCapacity(bytes + 8)
            while content.count < bytes { content.appendBigEndian(random.next()) }
            try TextFile.write(content.prefix(bytes), to: "\(folder)/file\(number).bin")
        }
        sync()
    }
}
