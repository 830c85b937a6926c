import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (b) How fast a file goes from disk to disk, with Kibo and contenders in turn. Ratios within one run are meaningful;
/// megabytes per second of two different runs are not comparable.
struct FileBench {
    let mebibytes: Int
    let rounds: Int
    /// The directory of source and copies, all on one file system.
    let directory: String
    let contenders: [Contender]

    func run() throws {
        let place = directory + "/kibo-bench.\(getpid())"
        guard mkdir(place, 0o700) == 0 else { throw SystemError("mkdir \(place)") }
        defer { TemporaryDirectory.remove(place) }
        let source = place + "/source"
        var contest = CopyContest(rounds: rounds, contenders: contenders, place: place)
        try contest.shell("head -c \(mebibytes)M /dev/urandom > \"$SOURCE\"", source, "")
        let load = try TransferLoad()
        let rate = { (seconds: Double) in
            Figures.text(Double(mebibytes) * 1.048576 / seconds, digits: 0) + " MB/s"
        }
        let shell = contest
        try contest.run(source, keeps: false, text: rate) { folder, round in
            let seconds = try load.transfer(source, to: folder)
            if round == 1 { try shell.shell("cmp \"$SOURCE\" \"$DESTINATION\"", source, folder + "/source") }
            return seconds
        }
        report("file of \(mebibytes) MiB, median of \(rounds) rounds in turn:")
        contest.summarise(rate)
        try load.reportDaemons(transfers: rounds)
    }
}
