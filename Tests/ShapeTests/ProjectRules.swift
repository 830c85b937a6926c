/// The rules that need more than one file.
enum ProjectRules {
    /// The modules with shells: those that may import the reactor.
    static func roomsWithShells(_ table: [String: [String]]) -> Set<String> {
        Set(table.filter { $0.value.contains("Reactor") }.keys)
    }

    /// A module has at most one `Limits.swift`, and each limit in it has a docstring (unit and reason).
    static func limits(_ files: [SourceFile]) -> [Violation] {
        var found: [Violation] = []
        let places = Dictionary(grouping: files.filter { $0.name == "Limits.swift" }, by: \.target)
        for (room, limits) in places where limits.count > 1 {
            let message = "\(room ?? "") has \(limits.count) files Limits.swift: its limits belong in one"
            found.append(Violation(path: limits[0].path, line: 1, message: message))
        }
        for file in files where file.name == "Limits.swift" && file.target != nil {
            for (index, line) in file.code.enumerated() where isLimit(line) {
                // Limits on successive lines share the docstring above the first.
                let head = file.lines[..<index].last { !isLimit($0) }?.drop(while: \.isWhitespace) ?? ""
                if !head.hasPrefix("///") && !file.lines[index].has("//") {
                    let message = "a limit without its unit and reason"
                    found.append(Violation(path: file.path, line: index + 1, message: message))
                }
            }
        }
        return found
    }

    /// Errors whose cases reach no log: a client or a peer is answered with them, in other words.
    static let answers: Set<String> = ["CallObjection", "CallRefusedError", "LostFile"]
    /// The targets that write no log of the daemon.
    private static let others: Set<String> = [
        "kibo", "kibo-bench", "TestSupport", "HTTP", "WebGateway", "kibo-web", "LocalSendBridge", "kibo-localsend",
        "DiscoverySimulation",
    ]

    /// An error that may come into a log has words of its own: Swift's spelling of a case is for nobody who reads logs.
    static func errors(_ files: [SourceFile]) -> [Violation] {
        let inside = files.filter { $0.isSwift && $0.target.map { !others.contains($0) } ?? false }
        var extended: Set<String> = []
        for file in inside {
            for line in file.code where line.hasPrefix("extension") && line.has("CustomStringConvertible") {
                guard let match = line.firstMatch(of: /^extension (\w+): [^{]*\bCustomStringConvertible\b/) else {
                    continue
                }
                extended.insert(String(match.1))
            }
        }
        return inside.flatMap { file in
            file.eachLineOfCode { line in
                // The expression alone is slow for all lines of all files.
                guard line.has("Error"), line.has(anyOf: ["enum ", "struct "]),
                    let match = line.firstMatch(
                        of: /^\s*(?:public |package )?(?:enum|struct) (\w+): ([^{]*\bError\b[^{]*)/)
                else { return nil }
                let name = String(match.1)
                if match.2.contains("CustomStringConvertible") || extended.contains(name) || answers.contains(name) {
                    return nil
                }
                return "the error \(name) has no description: logs would show how Swift spells it"
            }
        }
    }

    /// The targets of the package and their dependencies equal the module table's rows, except for toolchain modules.
    static func package(_ manifest: String, table: [String: [String]]) -> [Violation] {
        let path = "Package.swift"
        var declared: [String: Set<String>] = [:]
        for match in manifest.matches(of: /\b(?:library|program)\(\s*"([\w\-]+)",\s*\[([^\]]*)\]/) {
            declared[String(match.1)] = names(match.2)
        }
        for match in manifest.matches(of: /(?:\bsystem\(|\.target\(\s*name: )"([\w\-]+)"/)
        where declared[String(match.1)] == nil {
            declared[String(match.1)] = []
        }
        var found: [Violation] = []
        for (target, dependencies) in declared.sorted(by: { $0.key < $1.key }) {
            guard let row = table[target] else {
                found.append(Violation(path: path, line: 1, message: "\(target) is not in the module table"))
                continue
            }
            let allowed = Set(row).intersection(declared.keys)
            if allowed != dependencies {
                let message = "\(target) depends on \(dependencies.sorted()), the module table says \(allowed.sorted())"
                found.append(Violation(path: path, line: 1, message: message))
            }
        }
        for target in table.keys.sorted() where declared[target] == nil {
            found.append(Violation(path: path, line: 1, message: "\(target) of the module table is no target"))
        }
        // These are for the linker, which changes no code, have C watch its stack, or leave tests as they are written.
        let harmless = [
            #""-nostartfiles", "-static-stdlib""#, #""-fstack-protector-strong""#,
            #""-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now""#,
            #""-Onone""#, #""-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs""#,
        ]
        let flags = manifest.matches(of: /unsafeFlags\(\[([^\]]*)\]/).map { String($0.1) }
        if manifest.matches(of: /unsafeFlags/).count > flags.count(where: harmless.contains)
            || manifest.contains("-Ounchecked")
        {
            found.append(
                Violation(path: path, line: 1, message: "no unsafe flags: a trap is better than a wrong memory"))
        }
        return found
    }

    /// Each link of a document leads to an existing file or folder. Links to other sites are not checked.
    static func links(_ files: [SourceFile]) -> [Violation] {
        let paths = Set(files.map(\.path))
        var found: [Violation] = []
        for file in files where file.path.hasSuffix(".md") {
            for (index, line) in file.lines.enumerated() where line.has("](") {
                for match in line.matches(of: /\]\(([^)#]+)(#[^)]*)?\)/) where !match.1.contains(":") {
                    let path = resolve(match.1, from: file.path)
                    if paths.contains(path) || paths.contains(where: { $0.hasPrefix(path + "/") }) { continue }
                    found.append(Violation(path: file.path, line: index + 1, message: "no such file: \(match.1)"))
                }
            }
        }
        return found
    }

    /// Each row of a document's table of threats names existing suites.
    static func threats(_ document: String, path: String, files: [SourceFile]) -> [Violation] {
        let tests = files.map(\.path).filter { $0.hasPrefix("Tests/") }
        let swift = files.filter { $0.path.hasPrefix("Tests/") && $0.path.hasSuffix("Tests.swift") }
        // Some files have several suites.
        let structures = swift.flatMap { $0.code.filter { $0.hasPrefix("struct ") } }
        let suites = Set(swift.map(\.path).map(stem))
            .union(structures.compactMap { $0.prefixMatch(of: /struct (\w+Tests)\b/).map { String($0.1) } })
            .union(tests.compactMap { $0.wholeMatch(of: /Tests\/Web\/(test_\w+\.py)/).map { String($0.1) } })
        var found: [Violation] = []
        var isInTable = false
        for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("| Threat |") { isInTable = true }
            guard isInTable, line.hasPrefix("| "), !line.hasPrefix("| Threat |") else {
                if line.isEmpty { isInTable = false }
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            let named = cells.count == 5 ? cells[3].matches(of: /`(\w+(?:\.py)?)`/).map { String($0.1) } : []
            if named.isEmpty {
                found.append(
                    Violation(path: path, line: index + 1, message: "a threat without the suites that test it"))
            }
            for suite in named where !suites.contains(suite) {
                found.append(Violation(path: path, line: index + 1, message: "no such suite: \(suite)"))
            }
        }
        return found
    }

    private static func stem(_ path: String) -> String {
        String((path.split(separator: "/").last ?? "").dropLast(".swift".count))
    }

    /// A relative link as a path from the project's root.
    private static func resolve(_ link: Substring, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast()
        for part in link.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }

    /// The targets that lie on a circle: following the table's rows leads back to them.
    static func cycles(_ table: [String: [String]]) -> [String] {
        table.keys.sorted().filter { start in
            var seen: Set<String> = []
            var open = table[start] ?? []
            while let next = open.popLast() {
                if next == start { return true }
                if seen.insert(next).inserted { open += table[next] ?? [] }
            }
            return false
        }
    }

    private static func isLimit(_ line: Substring) -> Bool {
        line.has("static ") && line.contains(/\bstatic (let|var)\s/)
    }

    private static func names(_ list: Substring) -> Set<String> {
        Set(list.matches(of: /"([\w\-]+)"/).map { String($0.1) })
    }
}
