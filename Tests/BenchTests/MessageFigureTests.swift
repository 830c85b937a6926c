import Testing

@testable import kibo_bench

struct MessageFigureTests {
    @Test("The last line of a contender's output holds its figures")
    func output() throws {
        let figures = try #require(MessageFigures(output: "connected\np50=0.3125 p99=1 rate=3200\n"))
        #expect(figures.cells == ["0.31", "1.00", "3200"])
    }

    @Test(
        "Other output holds no figures",
        arguments: [
            "", "p50=1 p99=2", "p50=1 p99=2 rate=0", "p50=1 p99=2 rate=nan", "p50=1 p99=2 rate=x", "p50 p99 rate",
            "p50=1 p99=2 rate=3\nbroken",
        ])
    func noFigures(output: String) { #expect(MessageFigures(output: output) == nil) }

    @Test("The median of rounds is taken value by value")
    func median() {
        let rounds = [(1.0, 9.0, 100.0), (2, 8, 300), (3, 7, 200)]
        let median = MessageFigures(medianOf: rounds.map { MessageFigures(p50: $0.0, p99: $0.1, perSecond: $0.2) })
        #expect(median.cells == ["2.00", "8.00", "200"])
    }

    @Test("The first row is compared with each of the others")
    func table() {
        let table = MessageFigures.table([
            ("kibo", MessageFigures(p50: 0.5, p99: 1, perSecond: 10_000)),
            ("other", MessageFigures(p50: 0.25, p99: 2.5, perSecond: 40_000)),
        ])
        #expect(
            table.lines == [
                "       p50 ms  p99 ms  a second  kibo's p50 is  kibo's rate is",
                "kibo     0.50    1.00     10000",
                "other    0.25    2.50     40000     2.00 times      0.25 times",
            ])
    }

    @Test("Calls in a trace of several threads count where they begin")
    func trace() {
        let trace = """
            12 fdatasync(11)                     = 0
            7  pwrite64(12, ""..., 4096, 0 <unfinished ...>
            12 fdatasync(11 <unfinished ...>
            7  <... pwrite64 resumed>)           = 4096
            12 <... fdatasync resumed>)          = 0
            7  --- SIGTERM {si_signo=SIGTERM} ---
            7  +++ exited with 0 +++
            13 epoll_w
            """
        #expect(CallCounter.counts(in: trace) == ["fdatasync": 2, "pwrite64": 1])
    }
}
