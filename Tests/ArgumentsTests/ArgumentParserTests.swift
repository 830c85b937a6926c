import Arguments
import Testing

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
        #expect(problem(["a", "b", "c"]) == "unexpected argument \"c\"")
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
        let parser = ArgumentParser(options: parser.options, stopsAtFirstWord: true)
        var rest: [String] = []
        let parsed = try parser.parse(["-w", "cmd", "--other", "x"], rest: &rest)
        #expect(parsed.has("--watch"))
        #expect(rest == ["cmd", "--other", "x"])
    }

    @Test("A number is whole and from 1 on, and has a default")
    func numbers() throws {
        let parsed = try parser.parse(["a", "--limit", "5"])
        #expect(try parsed.number("--limit", default: 7) == 5)
        #expect(try parser.parse(["a"]).number("--limit", default: 7) == 7)
        for text in ["0", "-1", "1.5", "x", ""] {
            #expect(throws: ArgumentParser.Problem(message: "--limit needs a number from 1 on, not \(text)")) {
                try parser.parse(["a", "--limit", text]).number("--limit", default: 7)
            }
        }
    }

    @Test("A value that means nothing is named with its option and what is wanted")
    func values() throws {
        #expect(try ParsedArguments.read("80", of: "--port", expected: "a port") { UInt16($0) } == 80)
        #expect(throws: ArgumentParser.Problem(message: "--port: x is not a port")) {
            try ParsedArguments.read("x", of: "--port", expected: "a port") { UInt16($0) }
        }
    }

    @Test("An option has one form in the line of usage and one in the list")
    func usage() {
        #expect(parser.options.map(\.usage) == ["[-n N]", "[-f PATH]…", "[-w]", "[-h]"])
        #expect(parser.options.map(\.title) == ["-n, --limit N", "-f, --file PATH", "-w, --watch", "-h, --help"])
        #expect(parser.arguments.map(\.usage) == ["WHO", "[TEXT]"])
    }
}
