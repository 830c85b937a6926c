import Foundation
import Glibc
import TestSupport
import Testing

private enum Python {
    static let path = ["/usr/bin/python3", "/usr/local/bin/python3"].first { (path: String) in access(path, X_OK) == 0 }
}

/// Goal: what the package brings to read is whole. Building and trying the package is `scripts/package --test`.
@Suite(
    "Documents and manual pages of the package", .serialized,
    .enabled(if: Python.path != nil, "there is no Python"))
struct PackagingTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a shell command with Python as `$1`, the project's root as `$2` and a folder as `$3`.
    private func run(_ command: String) throws -> String {
        let output = directory.file("output")
        let words = ["-c", command, "sh", Python.path ?? "", Self.root, directory.path]
        let process = try ChildProcess(
            "/bin/sh", words, environment: ["PATH": "/usr/bin:/bin", "KIBOD": ProgramPaths.kibod], outputPath: output)
        let end = process.wait(Patience.usual)
        let text = try TextFile.text(output)
        #expect(end == .exited(0), "\(text)")
        return text
    }

    @Test("No link of a document leads nowhere, and no picture is asked for that is not there")
    func documents() throws {
        // The list is the one of the script that makes the package.
        let script = try TextFile.text(Self.root + "/scripts/package")
        let line = try #require(script.split(separator: "\n").first { $0.contains("packaging/documents.py") })
        let words = try #require(line.range(of: "\"$made/doc\" ").map { String(line[$0.upperBound...]) })
        _ = try run("cd \"$2\" && exec bash -c '\"$0\" packaging/documents.py \"$1/doc\" \(words)' \"$1\" \"$3\"")
        let names = try run("cd \"$3/doc\" && find . -type f | sort").split(separator: "\n").map {
            String($0.dropFirst(2))
        }
        for name in ["README.md", "SECURITY.md", "HANDBOOK.md", "examples/README.md", "examples/echo_bot.py"] {
            #expect(names.contains(name), "\(names)")
        }
        var links = 0
        for name in names where name.hasSuffix(".md") {
            let text = try TextFile.text(directory.file("doc/\(name)"))
            #expect(!text.contains("<img") && !text.contains("<picture"))
            for piece in text.components(separatedBy: "](").dropFirst() {
                let link = piece.prefix { $0 != ")" }
                if link.hasPrefix("https://") { continue }
                links += 1
                let path = link.prefix { $0 != "#" }
                let folder = directory.file("doc/\(name)").split(separator: "/").dropLast().joined(separator: "/")
                #expect(path.isEmpty || access("/\(folder)/\(path)", F_OK) == 0, "\(name): \(link)")
                guard let anchor = link.split(separator: "#", omittingEmptySubsequences: false).dropFirst().first else {
                    continue
                }
                let target = path.isEmpty ? text : try TextFile.text("/\(folder)/\(path)")
                let titles = target.split(separator: "\n").filter { $0.hasPrefix("#") }.map { title in
                    title.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
                        .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
                }
                #expect(titles.contains(String(anchor)), "\(name): \(link)")
            }
        }
        #expect(links > 20)
        // A heading that is gone is noticed before a reader does.
        let broken = try run(
            """
            mkdir -p "$3/p/packaging" "$3/p/docs" && cp "$2/packaging/documents.py" "$3/p/packaging" && cd "$3/p" \
            && echo '[x](#gone)' >docs/A.md && ! "$1" packaging/documents.py "$3/out" docs/A.md 2>&1
            """)
        #expect(broken.contains("docs/A.md: no heading #gone in docs/A.md"))
    }

    @Test("Each folder of the system that the handbook's recipes write to comes with the package")
    func folders() throws {
        let folders = try TextFile.text(Self.root + "/packaging/debian/kibo.dirs").split(separator: "\n")
        let handbook = try TextFile.text(Self.root + "/docs/HANDBOOK.md")
        for (folder, recipe) in [
            ("etc/kibo", "--make-realm-key /etc/kibo/"), ("etc/kibo", "encrypt --name=kibo-passphrase - /etc/kibo/"),
        ] {
            #expect(handbook.contains(recipe))
            #expect(folders.contains { $0 == folder }, "\(folder)")
        }
    }

    @Test("A unit that asks users' own daemons sees their sockets, which ProtectHome= would hide")
    func metricsUnit() throws {
        let lines = try TextFile.text(Self.root + "/examples/kibo-metrics@.service").split(separator: "\n")
        #expect(lines.contains { $0.contains("/run/user/1000/kibo/kibod.sock") })
        #expect(!lines.contains { $0.hasPrefix("ProtectHome=") })
        #expect(lines.contains { $0.contains(" --socket ${SOCKET} ") })
    }

    @Test("kibod(8) names linger, credentials, ports and the second user; kibod.json5(5) names both files")
    func manuals() throws {
        let daemon = try run("cd \"$2\" && \"$KIBOD\" --manual | \"$1\" packaging/manual.py --service docs/HANDBOOK.md")
        let words = daemon.replacing("\\-", with: "-")
        for word in [
            ".SH OPTIONS", ".SH AS A SERVICE", ".SH SEVERAL USERS ON ONE HOST", "enable-linger", "15426", "15411",
            "LoadCredentialEncrypted=kibo-passphrase", "/var/lib/kibo/USER", ".SH SEE ALSO",
        ] { #expect(words.contains(word), "\(word)") }
        let configuration = try run("cd \"$2\" && \"$1\" packaging/manual.py docs/HANDBOOK.md 1")
        for file in [
            "/etc/kibo/kibod.json5", "~/.config/kibo/kibod.json5", "/var/lib/kibo/USER/.config/kibo/kibod.json5",
        ] {
            #expect(configuration.contains("\\fB\(file)\\fR"), "\(file)")
        }
    }
}
