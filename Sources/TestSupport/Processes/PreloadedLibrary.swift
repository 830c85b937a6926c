import Glibc

/// A small C library of the tests that is preloaded into daemons. It is compiled once for each state of its source, beside the built
/// programs.
enum PreloadedLibrary {
    /// Compiles all C files of a folder.
    /// - Parameter folder: below the project's `Tests`.
    /// - Returns: the library's path.
    /// - Throws: ``SystemError`` with the compiler's message, if there is no compiler or it fails.
    static func compile(_ folder: String) throws -> String {
        // Sources/TestSupport/Processes/PreloadedLibrary.swift → Tests
        let sources = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Tests/\(folder)"
        let names = TemporaryDirectory.names(in: sources).sorted().filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
        let text = try names.flatMap { try TextFile.bytes("\(sources)/\($0)") }
        // FNV-1a is enough here: it only names a file.
        let digest = text.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let name = "kibo-\(folder.lowercased())-\(String(digest, radix: 16)).so"
        let path = "\(ProgramPaths.directory)/\(name)"
        if access(path, R_OK) == 0 { return path }
        let place = try TemporaryDirectory()
        var said = "there is no C compiler: cc, gcc or clang"
        for compiler in ["cc", "gcc", "clang"] {
            let output = place.file(compiler)
            let words =
                [compiler, "-shared", "-fPIC", "-O1", "-o", "\(path).\(getpid())"]
                + names.filter { $0.hasSuffix(".c") }.map { "\(sources)/\($0)" } + ["-ldl"]
            guard
                let child = try? ChildProcess(
                    "/usr/bin/env", words, environment: environmentOfCompiler, outputPath: output)
            else { continue }
            let end = child.wait(.seconds(120))
            // Another test program may compile the same library at the same time.
            if end == .exited(0), rename("\(path).\(getpid())", path) == 0 { return path }
            if end != .exited(127) { said = (try? TextFile.text(output)) ?? said }
        }
        throw SystemError("\(sources): \(TextFile.tail(said, lines: 10))", code: EIO)
    }

    private static var environmentOfCompiler: [String: String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return ["PATH": path, "LANG": "C.UTF-8"]
    }
}
