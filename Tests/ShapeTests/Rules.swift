/// The rules that look at one file at a time. Each is a function from a file to what is wrong with it, so that the
/// tests can feed it bad samples.
enum Rules {
    /// From this length on a file is on the list that a reader looks at now and then (CONTRIBUTING.md).
    static let listedFile = 400
    /// The most lines of a file: beyond it nobody finds anything any more.
    static let longestFile = 600
    /// The most lines of the daemon's `main.swift`, which reads arguments and runs `Daemon`.
    static let longestDaemonMain = 60

    /// The modules in which memory or threads are handled by hand.
    static let roomsWithUncheckedCode: Set = ["Threads", "Reactor", "Store", "Transfer", "Crypto", "HTTP"]
    /// The programs, which may print.
    static let programs: Set = ["kibo", "kibod", "kibo-bench"]

    /// All imports are named in the module table.
    static func imports(_ file: SourceFile, table: [String: [String]]) -> [Violation] {
        guard let target = file.target else { return [] }
        guard let allowed = table[target] else {
            return [Violation(path: file.path, line: 1, message: "\(target) is not in the module table")]
        }
        return file.eachLineOfCode { line in
            guard line.has("import") else { return nil }
            let modules = line.split(separator: ";").compactMap(importedModule)
            return modules.first { !allowed.contains($0) }.map { "\(target) may not import \($0)" }
        }
    }

    /// `Store` for `@testable import struct Store.Row`; nil for a statement that imports nothing.
    static func importedModule(_ statement: Substring) -> String? {
        let words = statement.split(separator: " ")
        guard let position = words.firstIndex(of: "import"), position + 1 < words.count else { return nil }
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        guard words[..<position].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        var name = words[position + 1]
        if kinds.contains(name), position + 2 < words.count { name = words[position + 2] }
        return name.split(separator: ".").first.map(String.init)
    }

    /// Whether people write code in it; what is written from the catalogue may be as long as it gets.
    static func isCode(_ file: SourceFile) -> Bool {
        let suffixes = [".swift", ".py", ".c", ".h", ".sh", ".ts", ".tsx", ".css", ".mjs"]
        return (suffixes.contains { file.path.hasSuffix($0) } || file.path.hasPrefix("scripts/"))
            && !file.path.hasPrefix("Web/src/contract/")
    }

    static func length(_ file: SourceFile) -> [Violation] {
        guard isCode(file) else { return [] }
        var limit = longestFile
        if file.path == "Sources/kibod/main.swift" { limit = longestDaemonMain }
        guard file.lineCount > limit else { return [] }
        return [Violation(path: file.path, line: limit + 1, message: "\(file.lineCount) lines, more than \(limit)")]
    }

    /// `@unchecked Sendable` and `nonisolated(unsafe)` stand only in the modules for it, each with a comment on its
    /// line, right above or right below that names the owner.
    static func unchecked(_ file: SourceFile) -> [Violation] {
        guard let target = file.target else { return [] }
        var found: [Violation] = []
        for (index, line) in file.code.enumerated() where line.has(anyOf: ["@unchecked", "nonisolated(unsafe)"]) {
            if !roomsWithUncheckedCode.contains(target) {
                found.append(
                    Violation(path: file.path, line: index + 1, message: "unchecked code is not for \(target)"))
            } else if !comments(at: index, in: file).contains(where: { $0.contains(/\b[Oo]wn(s|ed|er|ers|ership)?\b/) })
            {
                let message = "a comment on it, right above or right below has to say who owns this"
                found.append(Violation(path: file.path, line: index + 1, message: message))
            }
        }
        return found
    }

    /// The comment at the end of a line, and the blocks of comment lines right above and below it.
    private static func comments(at index: Int, in file: SourceFile) -> [Substring] {
        var lines = comments(above: index, in: file)
        if let slashes = file.lines[index].firstRange(of: "//") {
            lines.append(file.lines[index][slashes.lowerBound...])
        }
        for line in file.lines[(index + 1)...] {
            let text = line.drop(while: \.isWhitespace)
            guard text.hasPrefix("//") else { break }
            lines.append(text)
        }
        return lines
    }

    /// The block of comment lines right above a line, with attributes in between ignored.
    private static func comments(above index: Int, in file: SourceFile) -> [Substring] {
        var lines: [Substring] = []
        for line in file.lines[..<index].reversed() {
            let text = line.drop(while: \.isWhitespace)
            guard text.hasPrefix("//") || text.hasPrefix("@") else { break }
            if text.hasPrefix("//") { lines.append(text) }
        }
        return lines
    }

    /// Tasks without a parent stand only in the files that decision 0003 names, and no task sleeps.
    static func freeTasks(_ file: SourceFile, allowed: Set<String>) -> [Violation] {
        file.eachLineOfCode { line in
            // Not a regular expression: by the rules for words there is no boundary at a point between letters.
            let isOfTheReactor = line.has("shared.task")
            guard isOfTheReactor || line.has("Task") else { return nil }
            if line.contains(/\bTask\s*\.\s*sleep\b/) { return "timers are data in machines, not sleeping tasks" }
            let isOther = line.replacing(/-> Task<[^{(]*>/, with: "").contains(
                /\bTask\s*(<[^{(]*>)?\s*(\{|\(|\.\s*(detached|immediate|init)\b)/)
            guard isOfTheReactor || isOther else { return nil }
            if isOther, file.path != "Sources/Reactor/Loop/Reactor.swift" {
                return "tasks begin with Reactor.shared.task"
            }
            return allowed.contains(file.path) ? nil : "a free-standing task; see docs/decisions/0003-one-reactor.md"
        }
    }

    /// No `try!`, `as!`, forced unwrapping or implicitly unwrapped type, and no dictionary that traps on a repeated key.
    static func traps(_ file: SourceFile) -> [Violation] {
        file.eachLineOfCode { line in
            if line.has("uniqueKeysWithValues") { return "traps on a repeated key: use uniquingKeysWith" }
            guard line.has("!") else { return nil }
            var previous: UInt8 = 0x20
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                defer { previous = byte }
                guard byte == UInt8(ascii: "!"), index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "=")
                else {
                    continue
                }
                let character = Character(UnicodeScalar(previous))
                if character.isLetter || character.isNumber || "_)]}>?\"`".contains(character) {
                    return "a forced unwrap, try or cast traps: handle the nil or the error"
                }
            }
            return nil
        }
    }

    /// Machines have no I/O, no concurrency and no global clock, randomness or log. All of `PeerProtocol` consists of
    /// machines and codecs; elsewhere a file's name tells.
    static func purity(_ file: SourceFile) -> [Violation] {
        guard file.target == "PeerProtocol" || (file.target != nil && file.name.hasSuffix("Machine.swift")) else {
            return []
        }
        let worldly = ["async", "await", "actor", "Task", "Dispatch", "Log", "Clock", "random", "Random", "shuffle"]
        return file.eachLineOfCode { line in
            if importedModule(line).map({ $0 == "Glibc" || $0.hasPrefix("Foundation") }) == true {
                return "a machine does no I/O: no Glibc, no Foundation"
            }
            guard line.has(anyOf: worldly) else { return nil }
            if line.contains(/\b(async|await|actor|Task|DispatchQueue)\b/) { return "a machine knows no concurrency" }
            if line.contains(/\b(Logger|LogSink)\b/) { return "a machine does not log: it returns effects" }
            if line.contains(/\b(SystemClocks|ContinuousClock|SuspendingClock)\b/) {
                return "a machine is told the time"
            }
            let isRandom = line.contains(/\.(random\(|randomElement\(|shuffled?\()/) && !line.contains("using:")
            if isRandom || line.contains("SystemRandomNumberGenerator") { return "a machine is handed its randomness" }
            return nil
        }
    }

    /// A public type has a docstring.
    static func docstrings(_ file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        let declaration = /^\s*(@\S+ )*(public|open) ((final|indirect) )*(struct|class|enum|protocol|actor)\s/
        for (index, line) in file.code.enumerated()
        where line.has(anyOf: ["public ", "open "]) && line.has(anyOf: SourceFile.types) && line.contains(declaration) {
            let above = comments(above: index, in: file)
            if !above.contains(where: { $0.hasPrefix("///") }) {
                found.append(Violation(path: file.path, line: index + 1, message: "a public type without a docstring"))
            }
        }
        return found
    }

    /// The daemon and the contract don't assume a terminal: no text of theirs names a command of `kibo` (decision 0039). What
    /// goes to the log and to the service manager may.
    static func commands(_ file: SourceFile) -> [Violation] {
        let rooms: Set = ["Messaging", "ControlProtocol", "Account", "Doctor"]
        let isForLog = ["RememberedPassphrase.swift", "AccountAtStart.swift"].contains(file.name)
        guard let target = file.target, rooms.contains(target), !isForLog else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            let text = line.drop(while: \.isWhitespace)
            guard text.has("kibo "), !text.hasPrefix("//"), text.contains(/"[^"]*\bkibo [a-z]/) else { return nil }
            return Violation(
                path: file.path, line: index + 1, message: "a hint code says this, and the command line words it")
        }
    }

    /// A library does not print, and there are no notes about work left to do.
    static func leftovers(_ file: SourceFile) -> [Violation] {
        var found = file.eachLineOfCode { line in
            guard let target = file.target, !programs.contains(target) else { return nil }
            guard line.has(anyOf: ["print(", "debugPrint(", "dump("]) else { return nil }
            return line.contains(/(^|[^.\w])(print|debugPrint|dump)\(/) ? "a library does not print" : nil
        }
        for (index, line) in file.lines.enumerated()
        where line.has(anyOf: ["TODO", "FIXME", "XXX", "HACK"]) && line.contains(/\b(TODO|FIXME|XXX|HACK)\b/) {
            found.append(Violation(path: file.path, line: index + 1, message: "do it, or open an issue"))
        }
        return found
    }

    /// No file names a path of a developer's machine, in code or in texts.
    static func machinePaths(_ file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        let folders = ["/home/", "/Users/", "/root/", "/work", "/build"]
        for (index, line) in file.lines.enumerated()
        where line.has(anyOf: folders)
            && line.contains(/(^|[^\w.\-\/}$~])\/(home|Users|root|work|workspace|builds?)\/[\w.]/)
        {
            found.append(Violation(path: file.path, line: index + 1, message: "a path of one machine"))
        }
        return found
    }
}
