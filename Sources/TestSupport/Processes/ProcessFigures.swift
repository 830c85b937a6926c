import Basics
import Glibc

/// What the system says about a running process, from proc(5).
public struct ProcessFigures: Sendable {
    /// Resident memory now, bytes.
    public let resident: UInt64
    /// The most that was ever resident, bytes.
    public let peakResident: UInt64
    /// Processor time used so far, user and system.
    public let processorTime: Duration
    /// How often its threads have waited so far, by their names; those of one name together. Each wait ended with a wake-up.
    public let waits: [String: Int]

    /// Whether the main thread of a process holds SIGINT back, as `kibo` does while it waits and watches for it.
    public static func holdsInterrupts(_ pid: pid_t) throws(SystemError) -> Bool {
        let line = try TextFile.text("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        let mask = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) } ?? 0
        return mask & 1 << (UInt64(SIGINT) - 1) != 0
    }

    /// - Throws: ``SystemError`` if there is no such process.
    public init(pid: pid_t) throws(SystemError) {
        let status = try TextFile.text("/proc/\(pid)/status")
        func kibibytes(_ key: String) -> UInt64 {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt64($0) } ?? 0
        }
        resident = kibibytes("VmRSS") * 1_024
        peakResident = kibibytes("VmHWM") * 1_024
        // Fields 14 and 15 of stat, counted after the name. The name may contain spaces; it ends at the last
        // parenthesis.
        let stat = try TextFile.text("/proc/\(pid)/stat")
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 12 ? (Int64(fields[11]) ?? 0) + (Int64(fields[12]) ?? 0) : 0
        let perSecond = max(1, sysconf(CInt(_SC_CLK_TCK)))
        processorTime = .milliseconds(ticks * 1_000 / Int64(perSecond))
        var waits: [String: Int] = [:]
        for thread in TemporaryDirectory.names(in: "/proc/\(pid)/task") {
            let path = "/proc/\(pid)/task/\(thread)/"
            guard let name = try? TextFile.text(path + "comm"), let status = try? TextFile.text(path + "status") else {
                continue
            }
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            let count = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
            waits[name.filter { $0 != "\n" }, default: 0] += count
        }
        self.waits = waits
    }
}
