import Basics
import Glibc
import TestSupport

/// (c) What an idle daemon takes: the time until it answers, memory, processor.
struct IdleBench {
    /// Seconds until greetings, dials and first beacons are over.
    private static let settle: UInt32 = 5

    let starts: Int
    let seconds: Int

    func run() throws {
        let pair = try Pair()
        var milliseconds: [Double] = []
        for _ in 0..<starts {
            try pair.receiver.stop()
            try pair.receiver.start()
            milliseconds.append(pair.receiver.startDuration.inMilliseconds)
        }
        let figures = Figures(milliseconds)
        report("start with an account and a friend, exec to first answer, \(starts) times:")
        let (median, longest) = (Figures.text(figures.median, digits: 0), Figures.text(figures.largest, digits: 0))
        report("  median \(median) ms, longest \(longest) ms")

        sleep(Self.settle)
        let daemons = [pair.sender, pair.receiver].compactMap(\.pid)
        let before = try daemons.map { try ProcessFigures(pid: $0) }
        sleep(UInt32(clamping: seconds))
        let after = try daemons.map { try ProcessFigures(pid: $0) }
        report("idle with a friend's session open, \(seconds) s:")
        for (index, name) in ["sender", "receiver"].enumerated() where index < after.count {
            let resident = Figures.text(Double(after[index].resident) / 1_048_576, digits: 1)
            let busy = (after[index].processorTime - before[index].processorTime).inSeconds / Double(seconds)
            let waits = after[index].waits.values.reduce(0, +) - before[index].waits.values.reduce(0, +)
            let wakeUps = Figures.text(Double(waits) / Double(seconds), digits: 2)
            report(
                "  \(name): \(resident) MiB resident, \(Figures.text(busy * 100, digits: 2)) % of a core, "
                    + "\(wakeUps) wake-ups a second")
        }
    }
}
