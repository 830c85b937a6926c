import Arguments
import Basics
import Glibc
import TestSupport
import Testing

@testable import kibo

/// Goal: what is sent by a link or by a path with dots is what the user sees there, under the link's name, in `kibo send` and in
/// the chat alike.
@Suite("Paths of what is sent")
struct LocalPathTests {
    /// A folder with a file and a folder in it, and links to both; its path has no links in it.
    private static func place() throws -> (directory: TemporaryDirectory, path: String) {
        let directory = try TemporaryDirectory()
        let path = try #require(realpath(directory.path, nil))
        defer { free(path) }
        try TextFile.write("x".utf8, to: directory.file("report.txt"))
        try directory.makeDirectory("photos")
        for (name, target) in [
            ("link", "report.txt"), ("album", "photos"), ("second", "link"), ("nowhere", "gone.txt"),
            ("note.md", "report.txt"),
        ] { #expect(symlink(target, directory.file(name)) == 0) }
        return (directory, String(cString: path))
    }

    @Test("Links are followed to the end, dots and slashes too; what is no link keeps its path")
    func sent() throws {
        let (directory, path) = try Self.place()
        for (word, meant) in [
            ("report.txt", "report.txt"), ("photos", "photos"), ("photos/", "photos"), ("photos/.", "photos"),
            ("photos/..", ""), (".", ""),
        ] {
            let sent = try LocalPath.sent(path + "/" + word)
            #expect(sent == SentFile(path: meant.isEmpty ? path : path + "/" + meant), "\(word)")
        }
        for (word, meant, name) in [
            ("link", "report.txt", "link.txt"), ("second", "report.txt", "second.txt"),
            ("note.md", "report.txt", "note.md"), ("album", "photos", "album"), ("album/", "photos", "album"),
        ] {
            #expect(try LocalPath.sent(path + "/" + word) == SentFile(path: path + "/" + meant, name: name), "\(word)")
        }
        let nowhere = #expect(throws: Failure.self) { try LocalPath.sent(directory.file("nowhere")) }
        #expect(nowhere?.message == "\(directory.file("nowhere")): No such file or directory")
        #expect(throws: Failure.self) { try LocalPath.sent("") }
    }

    @Test("A path from here begins at the root, and . is this folder under its own name")
    func relative() throws {
        let here = try #require(realpath(".", nil))
        defer { free(here) }
        #expect(try LocalPath.sent(".") == SentFile(path: String(cString: here)))
    }

    @Test("/file in the chat follows a link as kibo send does")
    func chat() throws {
        let (directory, path) = try Self.place()
        let console = Console(
            output: { _ in }, errors: { _ in }, isTerminal: true, canAsk: true, hasColor: false, clocks: SystemClocks(),
            size: { (80, 24) }, input: { nil })
        let arguments = try ArgumentParser(
            options: ChatCommand().spec.options, arguments: ChatCommand().spec.arguments
        ).parse(["Anna"])
        let context = Context(console: console, command: "chat", arguments: arguments, json: false, socket: nil)
        let surroundings = ChatCommand.surroundings(context)
        #expect(try surroundings.path(directory.file("link")) == SentFile(path: path + "/report.txt", name: "link.txt"))
        #expect(try surroundings.path(directory.file("album")) == SentFile(path: path + "/photos", name: "album"))
    }
}
