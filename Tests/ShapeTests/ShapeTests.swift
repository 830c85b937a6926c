// The shape of the code, tested: what a compiler does not look at and a reviewer forgets. The rules are plain
// functions (Rules.swift, ProjectRules.swift); RuleTests.swift shows that each of them catches what it should.

import Testing

@Suite("The project keeps its own rules")
struct ShapeTests {
    private let project = Project.here

    private func table() throws -> [String: [String]] {
        RuleTable.rows(in: try #require(project.text("docs/decisions/0002-modules.md")))
    }

    private func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
        let report = violations.map(\.description).joined(separator: "\n")
        #expect(violations.isEmpty, "\(report)", sourceLocation: sourceLocation)
    }

    @Test("There is something to look at")
    func projectIsRead() throws {
        #expect(project.sources.count > 20)
        #expect(try table().count > 15)
    }

    @Test("Imports follow the module table")
    func imports() throws {
        let table = try table()
        expectNone(project.sources.flatMap { Rules.imports($0, table: table) })
    }

    @Test("Package.swift and the module table say the same, and arrows point down only")
    func package() throws {
        let table = try table()
        expectNone(ProjectRules.package(try #require(project.text("Package.swift")), table: table))
        #expect(ProjectRules.cycles(table) == [])
    }

    @Test("No file is too long")
    func lengths() { expectNone(project.files.flatMap(Rules.length)) }

    @Test("Unchecked code stands in its rooms and names its owner")
    func unchecked() { expectNone(project.sources.flatMap(Rules.unchecked)) }

    @Test("Free-standing tasks stand only where decision 0003 names them")
    func freeTasks() throws {
        let record = try #require(project.text("docs/decisions/0003-one-reactor.md"))
        let allowed = Set(RuleTable.rows(in: record).keys)
        #expect(!allowed.isEmpty)
        expectNone(project.sources.flatMap { Rules.freeTasks($0, allowed: allowed) })
    }

    @Test("Nothing is forced")
    func traps() { expectNone(project.sources.flatMap(Rules.traps)) }

    @Test("Machines are pure")
    func purity() { expectNone(project.sources.flatMap(Rules.purity)) }

    @Test("Public types say what they are")
    func docstrings() { expectNone(project.sources.flatMap(Rules.docstrings)) }

    @Test("Libraries don't print, and nobody leaves notes for later")
    func leftovers() { expectNone(project.sources.flatMap(Rules.leftovers)) }

    @Test("Limits stand in one file of each room, with unit and reason")
    func limits() { expectNone(ProjectRules.limits(project.files)) }

    @Test("Links between documents lead somewhere")
    func links() { expectNone(ProjectRules.links(project.files)) }

    @Test("Each threat names the suites that test it, and each counter stands in the handbook")
    func answers() throws {
        let path = "docs/SECURITY.md"
        let document = try #require(project.text(path))
        #expect(document.contains("| Threat |"))
        expectNone(ProjectRules.threats(document, path: path, files: project.files))
        expectNone(ProjectRules.metrics(try #require(project.text("docs/HANDBOOK.md")), sources: project.sources))
    }

    @Test("No file names a path of somebody's machine")
    func machinePaths() { expectNone(project.files.flatMap(Rules.machinePaths)) }
}
