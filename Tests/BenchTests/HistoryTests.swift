import Arguments
import Basics
import Testing

@testable import kibo_bench

struct HistoryTests {
    @Test("Each message is made once, in the order of time, and the same each time")
    func plan() {
        func all(_ piece: Int) -> [HistoryPlan.Draft] {
            var plan = HistoryPlan(messages: 5_000, conversations: 40, end: WallTime(milliseconds: 1_800_000_000_000))
            var drafts: [HistoryPlan.Draft] = []
            while case let next = plan.next(piece), !next.isEmpty { drafts += next }
            return drafts
        }
        let drafts = all(1_000)
        #expect(drafts.count == 5_000)
        #expect(drafts.map(\.text) == all(300).map(\.text))
        #expect(zip(drafts, drafts.dropFirst()).allSatisfy { $0.at <= $1.at })
        #expect((drafts.last?.at.milliseconds ?? 0) < 1_800_000_000_000)
        #expect(Set(drafts.map(\.conversation)) == Set(0..<40))
        #expect(drafts.count { $0.file != nil } == 50)
        let longest = drafts.count { $0.conversation == 0 }
        #expect((1..<40).allSatisfy { other in drafts.count { $0.conversation == other } < longest })
    }

    @Test("The commonest word is in more than 30 % of the messages, no two words are alike")
    func words() {
        let vocabulary = ZipfText(words: HistoryPlan.wordsInUse)
        #expect(Set(vocabulary.words).count == HistoryPlan.wordsInUse)
        let han = ZipfText(words: HistoryPlan.wordsInUse, script: .han)
        #expect(Set(han.words).count == HistoryPlan.wordsInUse)
        #expect(han.words.allSatisfy { String(decoding: $0, as: UTF8.self).unicodeScalars.count == 2 })
        var plan = HistoryPlan(messages: 2_000, conversations: 10, end: WallTime(milliseconds: 1_800_000_000_000))
        let texts = plan.next(2_000).map { $0.text.split(separator: " ") }
        #expect(texts.count { $0.contains(Substring(vocabulary.commonest)) } > 600)
    }

    @Test("A verdict tells whether all, most or too few values keep to a bound")
    func verdicts() {
        let bound = Bound(limit: 5)
        #expect(bound.verdict(Figures(Array(repeating: 5, count: 100))) == .holds)
        #expect(bound.verdict(Figures([Double](repeating: 1, count: 98) + [6, 6])) == .mostly)
        #expect(bound.verdict(Figures([6, 6, 6])) == .broken)
        #expect(HistoryBench.row("x", [1, 2, 3], bound) == ["x", "2.00", "3.00", "5", "holds"])
        #expect(HistoryBench.row("x", [1, 2, 3], nil) == ["x", "2.00", "3.00"])
    }

    @Test("The options of the history are read")
    func options() throws {
        let command = try #require(BenchCommand.all.first { $0.name == "history" })
        func bench(_ words: String...) throws(ArgumentParser.Problem) -> HistoryBench {
            try HistoryBench(command.parse(words))
        }
        let kept = try bench("--messages", "10", "--keep", "there")
        #expect((kept.messages, kept.conversations, kept.keep, kept.reuse) == (10, 1_000, "there", nil))
        #expect(try bench("--reuse", "there").reuse == "there")
        for words in [["--keep", "a", "--reuse", "b"], ["--keep"], ["--messages", "0"], ["--reuse", ""], ["--more"]] {
            #expect(throws: ArgumentParser.Problem.self) { try HistoryBench(command.parse(words)) }
        }
    }

    @Test("The usage names every measurement with its options, and the attacker is not one of them")
    func usage() {
        let usage = BenchCommand.usage
        #expect(
            usage.contains(
                "kibo-bench files [--mebibytes N] [--rounds N] [--directory DIR] [--contender NAME=COMMAND]…\n"))
        #expect(!usage.contains("kibo-bench attack"))
        #expect(throws: ArgumentParser.Problem.self) { try BenchCommand.run(["speed"]) }
        #expect(throws: ArgumentParser.Problem.self) { try BenchCommand.run(["veil", "--friend", "1"]) }
    }

    @Test("The head's columns begin or end where their cells do")
    func table() {
        var table = Table(["", "p50", ""])
        table.add(["long name", "1.00", "holds"])
        table.add(["short"])
        #expect(table.lines == ["            p50", "long name  1.00  holds", "short"])
    }
}
