import Testing

@testable import kibo

struct ArgumentParserTests {
    private let parser = ArgumentParser(
        options: [
            OptionSpec("--limit", short: "-n", value: "N", help: ""),
            OptionSpec("--file", short: "-f", value: "PATH", repeats: true, help: ""),
            OptionSpec("--watch", short: "-w", help: ""),
            OptionSpec("--help", short: "-h", help: ""),
        ],
        arguments: [ArgumentSpec("WHO", help: ""), ArgumentSpec("TEXT", .optional, help: "")])

    private func problem(_ words: [String]) -> String? {
        do {
            _ = try parser.parse(words)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("Options in every notation, anywhere among the words")
    func options() throws {
        for words in [
            ["a", "--limit", "5", "b"], ["--limit=5", "a", "b"], ["a", "b", "-n", "5"], ["-n5", "a", "b"],
        ] {
            let parsed = try parser.parse(words)
            #expect(parsed.positionals == ["a", "b"])
            #expect(parsed.value("--limit") == "5")
            #expect(!parsed.has("--watch"))
        }
        let parsed = try parser.parse(["a", "-f", "x", "-w", "--file=y=z", "--file", "-"])
        #expect(parsed.values("--file") == ["x", "y=z", "-"])
        #expect(parsed.has("--watch"))
        #expect(try parser.parse(["a", "--file="]).values("--file") == [""])
        #expect(try parser.parse(["a", "--limit", "-5"]).value("--limit") == "-5")
    }

    @Test("A single dash and everything behind a double one are words")
    func dashes() throws {
        #expect(try parser.parse(["a", "-"]).positionals == ["a", "-"])
        #expect(try parser.parse(["--", "a", "--watch"]).positionals == ["a", "--watch"])
        #expect(try parser.parse(["a", "--", "--"]).positionals == ["a", "--"])
    }

    @Test("Mistakes are named")
    func problems() {
        #expect(problem([]) == "WHO is missing")
        #expect(problem(["a", "b", "c"]) == "what is \"c\"?")
        #expect(problem(["a", "--limit"]) == "--limit needs a value")
        #expect(problem(["a", "--watch=x"]) == "--watch takes no value")
        #expect(problem(["a", "-wx"]) == "-w takes no value")
        #expect(problem(["a", "-n1", "-n2"]) == "--limit is given twice")
        #expect(problem(["a", "--wacht"]) == "there is no option --wacht; did you mean --watch?")
        #expect(problem(["a", "-x"]) == "there is no option -x")
        #expect(problem(["--help"]) == nil)
    }

    @Test("Parsing can stop where a command begins")
    func stopping() throws {
        var parser = parser
        parser.stopsAtFirstWord = true
        var rest: [String] = []
        let parsed = try parser.parse(["-w", "cmd", "--other", "x"], rest: &rest)
        #expect(parsed.has("--watch"))
        #expect(rest == ["cmd", "--other", "x"])
    }

    @Test("Only near words are guessed")
    func spelling() {
        #expect(Spelling.nearest(to: "stauts", among: ["status", "send"]) == "status")
        #expect(Spelling.nearest(to: "xyz", among: ["status", "send"]) == nil)
        #expect(Spelling.nearest(to: "to", among: ["go"]) == nil)
        #expect(Spelling.distance("kitten", "sitting") == 3)
        #expect(Spelling.distance("", "abc") == 3)
    }
}
