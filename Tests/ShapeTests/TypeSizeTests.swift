import Testing

/// How long a type may be with all its extensions in the same module. A cap on files alone makes files that are a type's second
/// part, and each of them costs the type's privacy (docs/decisions/0041-modules-and-types.md).
enum TypeSize {
    /// From this length on a type is on the list that a reader looks at now and then (CONTRIBUTING.md).
    static let listed = 400
    /// The same of a shell, a class on the reactor: it carries out what machines want, and a long one often does two things.
    static let listedShell = 250
    /// The most lines of a type: its private state has to be read against all of them.
    static let longest = 700
    /// A type that may be longer, and why. A limit here only ever goes down.
    struct Exception {
        let limit: Int
        let why: String
    }

    /// One type with its place and its lines.
    struct Size {
        let module: String
        let name: String
        let path: String
        let line: Int
        let lines: Int
        let isShell: Bool

        var isListed: Bool { lines > (isShell ? TypeSize.listedShell : TypeSize.listed) }
    }

    /// All types of the sources that are declared there, with the lines of their extensions in the same module. A nested type
    /// counts with the type around it; its extension counts for itself.
    ///
    /// - Parameter shells: the modules with shells.
    static func sizes(_ files: [SourceFile], shells: Set<String>) -> [Size] {
        var lines: [String: Int] = [:]
        var declared: [String: Size] = [:]
        for file in files {
            guard let module = file.target, file.isSwift else { continue }
            for part in parts(of: file) {
                let key = "\(module).\(part.name)"
                lines[key, default: 0] += part.lines
                guard !part.isExtension || part.name.contains("."), declared[key] == nil || !part.isExtension else {
                    continue
                }
                declared[key] = Size(
                    module: module, name: part.name, path: file.path, line: part.line, lines: 0,
                    isShell: part.isOnReactor && shells.contains(module))
            }
        }
        return declared.map { key, size in
            Size(
                module: size.module, name: size.name, path: size.path, line: size.line, lines: lines[key] ?? 0,
                isShell: size.isShell)
        }.sorted { ($0.lines, $0.path) > ($1.lines, $1.path) }
    }

    /// Types that are longer than they may be, and exceptions that nothing needs any more.
    static func violations(_ files: [SourceFile], except exceptions: [String: Exception]) -> [Violation] {
        var found: [Violation] = []
        let sizes = sizes(files, shells: [])
        for size in sizes {
            let most = exceptions[size.name]?.limit ?? longest
            guard size.lines > most else { continue }
            let message = "\(size.name) has \(size.lines) lines with its extensions, more than \(most)"
            found.append(Violation(path: size.path, line: size.line, message: message))
        }
        for name in exceptions.keys.sorted() {
            let isNeeded = sizes.contains { $0.name == name && $0.lines > longest }
            if !isNeeded {
                let message = "no exception is needed for \(name) any more"
                found.append(Violation(path: "Tests/ShapeTests/TypeSizeTests.swift", line: 1, message: message))
            }
        }
        return found
    }

    private struct Part {
        let name: String
        let isExtension: Bool
        let isOnReactor: Bool
        let line: Int
        let lines: Int
    }

    /// The declarations and extensions at the top of a file.
    private static func parts(of file: SourceFile) -> [Part] {
        var parts: [Part] = []
        var open: (name: String, isExtension: Bool, isOnReactor: Bool, line: Int)?
        var depth = 0
        var hasBody = false
        // A global actor may stand on a line of its own above the declaration.
        var above: Substring = ""
        let declaration = /^(?:@\S+ |[a-z]+ )*?(struct|class|enum|actor|protocol|extension) ([A-Za-z_][\w.]*)/
        for (index, line) in file.code.enumerated() {
            // A declaration at the top begins with a letter or an attribute.
            if depth == 0, open == nil, let first = line.utf8.first, first > UInt8(ascii: "/"),
                first != UInt8(ascii: "}"), line.has(anyOf: SourceFile.types + ["extension "]),
                let match = line.firstMatch(of: declaration)
            {
                let isOnReactor = line.has("@ReactorActor") || above.hasPrefix("@ReactorActor")
                open = (String(match.2), match.1 == "extension", isOnReactor, index)
                hasBody = false
            }
            above = line
            for byte in line.utf8 where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
                depth += byte == UInt8(ascii: "{") ? 1 : -1
                hasBody = true
            }
            if let part = open, depth == 0, hasBody {
                parts.append(
                    Part(
                        name: part.name, isExtension: part.isExtension, isOnReactor: part.isOnReactor,
                        line: part.line + 1, lines: index - part.line + 1))
                open = nil
            }
        }
        return parts
    }
}

@Suite("No type is too long")
struct TypeSizeTests {
    /// What may be longer: it has no state that could be split.
    private static let exceptions: [String: TypeSize.Exception] = [
        // Namespaces without state of their own: each file has the queries of one table, or the specifications of one subject.
        "WriteTransaction": .init(limit: 1700, why: "each file has the writes of one table"),
        "ReadTransaction": .init(limit: 1400, why: "each file has the reads of one table"),
        "Catalogue": .init(limit: 1600, why: "the contract as data"),
    ]

    @Test("A type has at most 700 lines with its extensions; those above 400, and shells above 250, are listed")
    func sizes() throws {
        let project = Project.here
        let found = TypeSize.violations(project.files, except: Self.exceptions)
        let report = found.map(\.description).joined(separator: "\n")
        #expect(found.isEmpty, "\(report)")
        let table = RuleTable.rows(in: try #require(project.text("docs/decisions/0002-modules.md")))
        let shells = ProjectRules.roomsWithShells(table)
        #expect(shells.contains("Network") && shells.contains("Notifications") && !shells.contains("Store"))
        print("Long types, to be looked at:")
        for size in TypeSize.sizes(project.files, shells: shells) where size.isListed {
            print("  \(size.lines) \(size.name)\(size.isShell ? ", a shell" : "") (\(size.path))")
        }
        print("Long files:")
        for file in project.files where Rules.isCode(file) && file.lineCount > Rules.listedFile {
            print("  \(file.lineCount) \(file.path)")
        }
    }

    private func file(_ text: String, at path: String) -> SourceFile { SourceFile(path: path, text: text) }

    private func body(_ lines: Int) -> String { String(repeating: "    let x = 1\n", count: lines) }

    @Test("Extensions in the same module count, in other modules and of other types they don't")
    func extensions() {
        let files = [
            file("/// Doc\npublic struct A: B {\n\(body(598))}\n", at: "Sources/Store/A.swift"),
            file(
                "import C\n\nextension A {\n\(body(98))}\n\nextension Int {\n\(body(900))}\n",
                at: "Sources/Store/A+B.swift"),
            file("extension A {\n\(body(900))}\n", at: "Sources/Daemon/A.swift"),
        ]
        #expect(TypeSize.sizes(files, shells: []).map(\.lines) == [700])
        #expect(TypeSize.violations(files, except: [:]).isEmpty)
        let more = files + [file("private extension A { }\n", at: "Sources/Store/B/A.swift")]
        #expect(TypeSize.violations(more, except: [:]).map(\.path) == ["Sources/Store/A.swift"])
        #expect(TypeSize.violations(more, except: ["A": .init(limit: 701, why: "")]).isEmpty)
        #expect(TypeSize.violations(files, except: ["A": .init(limit: 701, why: "")]).count == 1)
    }

    @Test("A shell is a class on the reactor, in the modules that have shells")
    func shells() {
        func isListed(_ text: String, at path: String) -> Bool {
            TypeSize.sizes([file(text, at: path)], shells: ["Daemon"]).contains(where: \.isListed)
        }
        let text = "@ReactorActor final class A {\n\(body(249))}\n"
        #expect(isListed(text, at: "Sources/Daemon/A.swift"))
        #expect(!isListed(text, at: "Sources/Reactor/A.swift"))
        #expect(!isListed("struct A {\n\(body(249))}\n", at: "Sources/Daemon/A.swift"))
    }

    @Test(
        "Braces in strings and several types in a file don't confuse the count; a nested type counts with its outer one"
    )
    func counting() {
        let text = """
            struct A {
                let text = "}}"
                struct Inner {
                    let x = 1
                }
            }

            enum B: Int, Sendable { case one }

            extension A.Inner {
                func f() {}
            }
            """
        let sizes = TypeSize.sizes([file(text, at: "Sources/Store/A.swift")], shells: [])
        #expect(sizes.map { "\($0.name) \($0.lines)" }.sorted() == ["A 6", "A.Inner 3", "B 1"])
    }
}
