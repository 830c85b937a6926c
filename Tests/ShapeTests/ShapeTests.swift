// Tests of the code's shape: what a compiler does not check and a reviewer forgets. The rules are plain functions
// (Rules.swift, ProjectRules.swift); RuleTests.swift shows that each of them catches what it should.

import Foundation
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

    @Test("The project's files are found")
    func projectIsRead() throws {
        #expect(project.sources.count > 20)
        #expect(try table().count > 15)
    }

    @Test("Imports follow the module table")
    func imports() throws {
        let table = try table()
        expectNone(project.sources.flatMap { Rules.imports($0, table: table) })
    }

    @Test("Package.swift and the module table agree, and dependencies have no circles")
    func package() throws {
        let table = try table()
        expectNone(ProjectRules.package(try #require(project.text("Package.swift")), table: table))
        #expect(ProjectRules.cycles(table) == [])
    }

    @Test("Folders use each other in one direction only, and the picture of modules and folders is true")
    func graph() throws {
        let table = try table()
        let ours = Set(project.sources.compactMap(\.target))
        var folders: [(module: String, graph: UseGraph)] = []
        for module in ours.sorted() {
            let graph = UseGraph(foldersOf: module, files: project.sources)
            #expect(graph.circles == [], "folders of \(module) in a circle\n\(graph.text)")
            folders.append((module, graph))
        }
        let document = try #require(project.text(GraphBlock.path))
        let block = GraphBlock.text(modules: UseGraph(table: table, ours: ours), folders: folders)
        let wanted = try #require(GraphBlock.replaced(in: document, by: block), "the marks of the graph are gone")
        if ProcessInfo.processInfo.environment[GraphBlock.variable] != nil {
            try Data(wanted.utf8).write(to: Project.root.appending(path: GraphBlock.path))
        } else {
            #expect(document == wanted, "write it anew: \(GraphBlock.variable)=1 scripts/test --filter ShapeTests")
        }
    }

    @Test("No file is too long")
    func lengths() { expectNone(project.files.flatMap(Rules.length)) }

    @Test("Unchecked code stands in its modules and names its owner")
    func unchecked() { expectNone(project.sources.flatMap(Rules.unchecked)) }

    @Test("Tasks without a parent stand only where decision 0003 names them")
    func freeTasks() throws {
        let record = try #require(project.text("docs/decisions/0003-one-reactor.md"))
        let allowed = Set(RuleTable.rows(in: record).keys)
        #expect(!allowed.isEmpty)
        expectNone(project.sources.flatMap { Rules.freeTasks($0, allowed: allowed) })
    }

    @Test("No code is forced")
    func traps() { expectNone(project.sources.flatMap(Rules.traps)) }

    @Test("Machines are pure")
    func purity() { expectNone(project.sources.flatMap(Rules.purity)) }

    @Test("Public types have docstrings")
    func docstrings() { expectNone(project.sources.flatMap(Rules.docstrings)) }

    @Test("Libraries don't print, and there are no notes for later")
    func leftovers() { expectNone(project.sources.flatMap(Rules.leftovers)) }

    @Test("The daemon names no command of the command line")
    func commands() { expectNone(project.sources.flatMap(Rules.commands)) }

    @Test("Each module's limits stand in one file, with unit and reason")
    func limits() { expectNone(ProjectRules.limits(project.files)) }

    @Test("Errors have words for logs")
    func errors() { expectNone(ProjectRules.errors(project.sources)) }

    @Test("Links between documents lead to existing files")
    func links() { expectNone(ProjectRules.links(project.files)) }

    @Test("Each threat names existing suites")
    func answers() throws {
        let path = "docs/SECURITY.md"
        let document = try #require(project.text(path))
        #expect(document.contains("| Threat |"))
        expectNone(ProjectRules.threats(document, path: path, files: project.files))
    }

    @Test("No file names a path of a developer's machine")
    func machinePaths() { expectNone(project.files.flatMap(Rules.machinePaths)) }
}
