import Basics
import Glibc
import TestSupport
import Testing

@testable import Daemon
@testable import Runtime

@Suite("The log")
struct LogTests {
    private func line(_ number: Int, length: Int = 100) -> LogRecord {
        LogRecord(
            level: .info, label: "test", message: "line \(number) " + String(repeating: "x", count: length), fields: [])
    }

    /// Reads everything that a pipe holds now.
    private func drain(_ file: CInt) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }

    @Test("A reader that stalls stops no writer: lines that it doesn't take are left out, and counted once it goes on")
    func stalledReader() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let sink = StandardErrorSink(level: .info, format: .text, descriptor: ends[1])
        // A pipe holds 64 KiB; the last of these lines are longer than what fits at once.
        for number in 0..<2_000 { sink.write(line(number, length: number < 1_500 ? 100 : 6_000)) }
        let first = drain(ends[0])
        let taken = first.split(separator: "\n").count { $0.contains("info test: line") }
        #expect(taken > 300 && taken < 2_000)
        sink.write(line(2_000))
        let rest = drain(ends[0]).split(separator: "\n")
        let note = try #require(rest.first { $0.contains("lines were left out") })
        let leftOut = try #require(note.split(separator: "=").last.flatMap { Int($0) })
        // The line that was cut is in both counts.
        #expect((2_000...2_001).contains(taken + leftOut), "\(taken) and \(leftOut)")
        #expect(rest.last?.contains("line 2000 ") == true)
        sink.write(line(2_001, length: 10_000))
        let last = drain(ends[0]).split(separator: "\n")
        #expect(last.count == 1 && last.first?.utf8.count ?? 0 > 10_000)
    }

    @Test("A line that has no reader any more is forgotten")
    func noReader() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        defer { close(ends[1]) }
        let sink = StandardErrorSink(level: .info, format: .json, descriptor: ends[1])
        for number in 0..<100 { sink.write(line(number)) }
    }
}
