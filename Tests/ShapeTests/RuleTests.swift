import Testing

@Suite("Each rule catches what it forbids, and only that")
struct RuleTests {
    private func swift(_ text: String, at path: String = "Sources/Store/Rows/Row.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test("Comments and strings are no code; interpolations are")
    func stripping() {
        #expect(SwiftStripper.strip("let a = b // try! x\nlet c = 1") == "let a = b          \nlet c = 1")
        #expect(SwiftStripper.strip("/* a /* b */ c */d") == String(repeating: " ", count: 17) + "d")
        #expect(SwiftStripper.strip(#"f("try! \(x!) //", y)"#) == #"f("     \(x!)   ", y)"#)
        #expect(SwiftStripper.strip(##"f(#"a "b" \(x!)"#, z!)"##) == ##"f(#"           "#, z!)"##)
        #expect(SwiftStripper.strip(##"f(#"\#(a(b)!)c"#)"##) == ##"f(#"\#(a(b)!) "#)"##)
        #expect(SwiftStripper.strip("\"\"\"\na \"b\" ! \\\" c\n\"\"\" + d!") == "\"\"\"\n            \n\"\"\" + d!")
        #expect(SwiftStripper.strip("\"open\nx!") == "\"    \nx!")
    }

    @Test(
        "An import that the table does not name is found",
        arguments: [
            "import Foundation", "@testable import Reactor", "public import Reactor", "import struct Reactor.Timer",
            "@preconcurrency import Reactor", "import Basics; import Dispatch",
        ])
    func badImport(line: String) {
        #expect(Rules.imports(swift("// head\n" + line), table: ["Store": ["Basics"]]).map(\.line) == [2])
    }

    @Test("Imports that are named, and text that only looks like one, pass")
    func goodImports() {
        let text =
            "import Basics\nimport struct Basics.Hex\n// import Foundation\nlet important = \"import Foundation\""
        #expect(Rules.imports(swift(text), table: ["Store": ["Basics"]]).isEmpty)
        #expect(Rules.imports(swift("import Foundation", at: "Tests/StoreTests/A.swift"), table: [:]).isEmpty)
    }

    @Test("A target that the table lacks is found")
    func unknownTarget() {
        #expect(Rules.imports(swift("let a = 1", at: "Sources/Shed/A.swift"), table: ["Store": []]).count == 1)
    }

    @Test("Files over the limits are found, files at the limits pass")
    func lengths() {
        func file(_ lines: Int, _ path: String) -> SourceFile {
            SourceFile(path: path, text: String(repeating: "x\n", count: lines))
        }
        for path in ["Sources/Store/A.swift", "Tests/StoreTests/A.swift", "scripts/demo", "Web/src/parts/a.tsx"] {
            #expect(Rules.length(file(600, path)).isEmpty)
            #expect(Rules.length(file(601, path)).count == 1)
        }
        #expect(Rules.length(file(601, "docs/PROTOCOL.md")).isEmpty)
        #expect(Rules.length(file(601, "Web/src/contract/types.ts")).isEmpty)
        #expect(Rules.length(file(61, "Sources/kibod/main.swift")).count == 1)
    }

    @Test("Unchecked code in the wrong module, or without its owner, is found")
    func unchecked() {
        let bare = "final class Ring: @unchecked Sendable {}"
        #expect(Rules.unchecked(swift("// Owned by the writer thread.\n" + bare)).isEmpty)
        #expect(Rules.unchecked(swift("/// The owner is its thread.\n@frozen\n" + bare)).isEmpty)
        #expect(Rules.unchecked(swift("nonisolated(unsafe) var x = 1 // owned by the loop")).isEmpty)
        #expect(Rules.unchecked(swift("final class Ring: @unchecked Sendable {\n    // Owned by its thread.")).isEmpty)
        #expect(Rules.unchecked(swift(bare)).count == 1)
        #expect(Rules.unchecked(swift("// Fast, as shown.\n" + bare)).count == 1)
        #expect(Rules.unchecked(swift("// Owned by us.\n\n" + bare)).count == 1)
        #expect(Rules.unchecked(swift("// Owned by us.\n" + bare, at: "Sources/Daemon/A.swift")).count == 1)
        #expect(Rules.unchecked(swift("// @unchecked Sendable is forbidden", at: "Sources/Daemon/A.swift")).isEmpty)
    }

    @Test(
        "Tasks without a parent are found",
        arguments: [
            "Task { await f() }", "Task{ f() }", "_ = Task(priority: .high) { f() }", "Task.detached { f() }",
            "let t = Task<Void, Never> { f() }", "Task.immediate { f() }", "Task.init { f() }",
            "try await Task.sleep(for: .seconds(1))", "Reactor.shared.task { [self] in",
            "func f() -> Task<Void, Never> { Task { g() } }",
        ])
    func freeTask(line: String) {
        let path = "Sources/Daemon/A.swift"
        #expect(Rules.freeTasks(swift(line, at: path), allowed: []).count == 1)
        // Where decision 0003 allows one, it is still the reactor that begins it.
        #expect(Rules.freeTasks(swift(line, at: path), allowed: [path]).isEmpty == line.contains("shared.task"))
        let own = "Sources/Reactor/Loop/Reactor.swift"
        #expect(Rules.freeTasks(swift(line, at: own), allowed: [own]).isEmpty != line.contains("sleep"))
    }

    @Test(
        "Code that only looks like a task passes",
        arguments: [
            "group.addTask { f() }", "await withTaskGroup(of: Int.self) { group in }", "let t: Task<Void, Never>",
            "if Task.isCancelled { return }", "// Task { }", "struct SubTask {", "func f() -> Task<Void, Never> {",
        ])
    func noFreeTask(line: String) { #expect(Rules.freeTasks(swift(line), allowed: []).isEmpty) }

    @Test("Errors of the daemon without words for logs are found")
    func errors() {
        func found(_ text: String, at path: String = "Sources/Daemon/A.swift") -> Int {
            ProjectRules.errors([SourceFile(path: path, text: text)]).count
        }
        #expect(found("public enum AError: Error, Hashable {\n") == 1)
        #expect(found("    package struct Failure: Error {\n") == 1)
        #expect(found("enum AError: Error, CustomStringConvertible {\n") == 0)
        #expect(found("enum AError: Error {\n}\nextension AError: CustomStringConvertible {\n") == 0)
        #expect(found("    private struct Stop: Error {}\n") == 0)
        #expect(found("struct Failure: Error {\n", at: "Sources/kibo/A.swift") == 0)
    }

    @Test(
        "Forced unwraps, tries and casts are found",
        arguments: [
            "let a = b!", "a!.f()", "f(x)!", "list[0]!", "try! f()", "a as! B", "var a: Int!", "a?.b!.c", "\"\\(x!)\"",
            "let d = Dictionary(uniqueKeysWithValues: pairs)", "a! == b", "{ 1 }()!", "let c: [Int]! = nil",
        ])
    func trap(line: String) { #expect(Rules.traps(swift(line)).count == 1) }

    @Test(
        "Code that only looks forced passes",
        arguments: [
            "if a != b { }", "if !a { }", "return !a", "f(!a, [!b])", "#if !os(Linux)", "// Stop!", "log(\"Stop!\")",
            "a !== b",
        ])
    func noTrap(line: String) { #expect(Rules.traps(swift(line)).isEmpty) }

    @Test(
        "Machines that use I/O, clocks or other globals are found",
        arguments: [
            "func f() async {}", "await g()", "Task { }", "let log: Logger", "SystemClocks().now",
            "UInt8.random(in: 0...9)",
            "list.shuffled()", "import Glibc", "import FoundationEssentials", "var g = SystemRandomNumberGenerator()",
        ])
    func impure(line: String) {
        #expect(Rules.purity(swift(line, at: "Sources/PeerProtocol/Wire/A.swift")).count == 1)
        #expect(Rules.purity(swift(line, at: "Sources/Transfer/Machines/SenderMachine.swift")).count == 1)
        #expect(Rules.purity(swift(line, at: "Sources/Transfer/Files/A.swift")).isEmpty)
    }

    @Test(
        "Machines that are given what they need pass",
        arguments: [
            "Int.random(in: 0...9, using: &generator)", "mutating func receive(now: Instant) {}",
            "let asynchronous = 1",
        ])
    func pure(line: String) { #expect(Rules.purity(swift(line, at: "Sources/PeerProtocol/A.swift")).isEmpty) }

    @Test("Public types without a docstring are found")
    func docstrings() {
        #expect(Rules.docstrings(swift("public struct A {}")).count == 1)
        #expect(Rules.docstrings(swift("// not a docstring\npublic final class A {}")).count == 1)
        #expect(Rules.docstrings(swift("/// A.\n@ReactorActor\npublic final class A {}")).isEmpty)
        #expect(Rules.docstrings(swift("/// A.\n@ReactorActor public final class A {}")).isEmpty)
        #expect(Rules.docstrings(swift("struct A {}")).isEmpty)
    }

    @Test("Forgotten prints and notes are found")
    func leftovers() {
        #expect(Rules.leftovers(swift("print(a)")).count == 1)
        #expect(Rules.leftovers(swift("print(a)", at: "Sources/kibo/main.swift")).isEmpty)
        #expect(Rules.leftovers(swift("table.print(a); fingerprint(b)")).isEmpty)
        #expect(Rules.leftovers(swift("// TO" + "DO: later")).count == 1)
    }

    @Test("Commands in the daemon's texts are found, in comments and in its log they may stand")
    func commands() {
        let text = "throw Refusal(\"See: kibo contacts\")"
        #expect(Rules.commands(swift(text, at: "Sources/Messaging/A.swift")).count == 1)
        #expect(Rules.commands(swift("/// `kibo contacts`, \"kibo add\"", at: "Sources/Messaging/A.swift")).isEmpty)
        #expect(Rules.commands(swift(text, at: "Sources/Daemon/A.swift")).isEmpty)
        #expect(Rules.commands(swift(text, at: "Sources/kibo/A.swift")).isEmpty)
    }

    @Test("Scattered and unexplained limits are found")
    func limits() {
        let row = swift("let a = 1")
        let good = swift("/// Bytes; one page.\nstatic let page = 1", at: "Sources/Store/Limits.swift")
        let both = swift("/// Bytes; enough.\nstatic let a = 1\nstatic let b = 2", at: "Sources/Store/Limits.swift")
        let second = swift("", at: "Sources/Store/SQL/Limits.swift")
        let bare = swift("enum Limits {\n    static let page = 1\n}", at: "Sources/Store/Limits.swift")
        #expect(ProjectRules.limits([row]).isEmpty)
        #expect(ProjectRules.limits([row, good]).isEmpty)
        #expect(ProjectRules.limits([row, both]).isEmpty)
        #expect(ProjectRules.limits([row, swift("", at: "Sources/Store/B.swift")]).isEmpty)
        #expect(ProjectRules.limits([row, good, second]).count == 1)
        #expect(ProjectRules.limits([row, bare]).map(\.line) == [2])
    }

    @Test(
        "Paths of one machine are found",
        arguments: ["/" + "home/eve/kibo", "cd /" + "root/x", "\"/" + "Users/eve\"", "(/" + "work/a)"])
    func machinePath(text: String) {
        // The samples are split so that this file does not break the rule that it tests.
        #expect(Rules.machinePaths(SourceFile(path: "README.md", text: text)).count == 1)
    }

    @Test(
        "Paths that every machine has pass",
        arguments: ["~/home/x", "/usr/bin/env", "$ROOT/" + "work/a", "docs/root/x", "/home"])
    func commonPath(text: String) { #expect(Rules.machinePaths(SourceFile(path: "a.sh", text: text)).isEmpty) }

    @Test("A manifest that differs from the table, and circles in tables, are found")
    func package() {
        let manifest = """
            system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
            library("Basics", []), library(
                "Crypto",
                ["Basics", "CSodium"]),
            program("kibo", ["Basics"]),
            """
        let table = ["CSodium": [], "Basics": ["Glibc"], "Crypto": ["Basics", "CSodium"], "kibo": ["Basics"]]
        #expect(ProjectRules.package(manifest, table: table).isEmpty)
        #expect(ProjectRules.package(manifest, table: table.merging(["kibo": []]) { $1 }).count == 1)
        #expect(ProjectRules.package(manifest, table: table.merging(["Shed": []]) { $1 }).count == 1)
        #expect(ProjectRules.package(manifest, table: table.filter { $0.key != "Basics" }).count == 1)
        #expect(ProjectRules.package(manifest + "unsafeFlags", table: table).count == 1)
        let harmless = #".unsafeFlags(["-nostartfiles", "-static-stdlib"])"#
        #expect(ProjectRules.package(manifest + harmless, table: table).isEmpty)
        #expect(ProjectRules.cycles(table) == [])
        #expect(ProjectRules.cycles(["A": ["B"], "B": ["C"], "C": ["A"], "D": ["A"]]) == ["A", "B", "C"])
    }

    @Test("Links that lead nowhere are found")
    func links() {
        let files = [
            SourceFile(
                path: "docs/A.md", text: "[b](B.md) [up](../README.md#part) [folder](decisions) [web](https://x.y)"),
            SourceFile(path: "docs/B.md", text: "[gone](C.md)\n[astray](../docs/../A.md)"),
            SourceFile(path: "docs/decisions/0001.md", text: "[b](../B.md)"), SourceFile(path: "README.md", text: ""),
        ]
        #expect(ProjectRules.links(files).map(\.path) == ["docs/B.md", "docs/B.md"])
        #expect(ProjectRules.links(files).map(\.line) == [1, 2])
    }

    @Test("Threats without existing suites are found")
    func answers() {
        let files = [SourceFile(path: "Tests/A/FloodTests.swift", text: "")]
        let head = "| Threat | Answer | Tested by |\n|---|---|---|\n"
        func lines(_ rows: String) -> [Int] {
            ProjectRules.threats(head + rows, path: "docs/S.md", files: files).map(\.line)
        }
        #expect(lines("| a | b | `FloodTests` |\n").isEmpty)
        #expect(lines("| a | b | `FloodTests` |\n| a | b | soon |\n| a | b |\n| a | b | `GoneTests` |\n") == [4, 5, 6])
        #expect(lines("| a | b | `FloodTests` |\n\n| For | Used |\n").isEmpty)
        #expect(lines("| a | b | `test_gone.py` |\n") == [3])
    }

    @Test("The rule tables of the decision records are read")
    func tables() {
        let text = "| Target | May |\n|---|---|\n| `A` | one | `B` `C` |\n| `D` | two `x` | – |\n| plain | `E` |\n"
        #expect(RuleTable.rows(in: text) == ["A": ["B", "C"], "D": []])
    }

    @Test("Folders in a circle are found, and the picture leaves out what is used by way of another folder")
    func folders() {
        func files(_ texts: [(String, String)]) -> [SourceFile] {
            texts.map { SourceFile(path: "Sources/Daemon/\($0.0).swift", text: $0.1) }
        }
        let good = [
            ("Top/A", "struct A { let b: B; let c: C } // D stands above"), ("Middle/B", "struct B { let c = C.zero }"),
            ("Low/C", "enum C { static let zero = 0 }"), ("D", "final class D { let a = A() }"),
        ]
        let graph = UseGraph(foldersOf: "Daemon", files: files(good))
        #expect(graph.circles == [])
        #expect(graph.text == "Daemon → Top\nTop    → Middle\nMiddle → Low\nLow")
        let bad = UseGraph(foldersOf: "Daemon", files: files(good + [("Low/E", "extension C { var top: A? { nil } }")]))
        #expect(bad.circles == ["Low", "Middle", "Top"])
    }

    @Test("The block of a document is replaced between its marks only")
    func graphBlock() {
        let document = "a\n<!-- modules: begin -->\nold\n<!-- modules: end -->\nb"
        #expect(
            GraphBlock.replaced(in: document, by: "new\n")
                == "a\n<!-- modules: begin -->\nnew\n<!-- modules: end -->\nb")
        #expect(GraphBlock.replaced(in: "no marks", by: "new") == nil)
    }
}
