import Basics
import Glibc
import Messaging
import Reactor
import Runtime
import TestSupport
import Testing
import Threads

@testable import Daemon
@testable import Media

/// These tests run the real kibo-media.
@Suite("Types by content", .serialized)
struct ContentTypeTests {
    private let log = LogCapture()
    private let media: MediaProgram

    init() {
        // The daemon does the same: a worker may have ended before it is asked.
        SignalWatcher.ignoreBrokenPipes()
        media = MediaProgram(path: ProgramPaths.media, log: Logger(label: "test", sink: log))
    }

    private func type(_ bytes: [UInt8]) throws -> ContentType {
        try bytes.withUnsafeBytes { try media.type(of: $0, from: .own) }
    }

    @Test("Real files of every type pass under their names, whichever program wrote them")
    func honest() throws {
        for (name, bytes) in SampleFiles.documents + SampleFiles.texts + SampleFiles.media {
            let found = try type(bytes)
            #expect(found.suits(type: FileTypes.type(ofName: name)), "\(name): \(found)")
        }
        for name in ["a.pdf", "a.png", "a.docx", "a"] {
            #expect(try type([]).suits(type: FileTypes.type(ofName: name)), "an empty file may still be in the making")
        }
    }

    @Test("Programs, archives and scripts don't pass for documents, pictures and sounds")
    func disguised() throws {
        for (name, bytes) in SampleFiles.disguised {
            let found = try type(bytes)
            #expect(!found.suits(type: FileTypes.type(ofName: name)), "\(name): \(found)")
        }
    }

    @Test("A picture or table under another one's name is told by its own type; nothing else is")
    func real() throws {
        let page = SampleFiles.text("<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>")
        for (name, bytes, real) in [
            ("jpg", SampleFiles.png(width: 3, height: 2), "png"), ("png", SampleFiles.gif(), "gif"),
            ("heic", SampleFiles.png(width: 3, height: 2), "png"), ("xls", page, "html"), ("doc", page, "html"),
            ("xls", SampleFiles.text("name,number\nAnna,1\n"), "csv"),
        ] { #expect(try type(bytes).realType(named: name) == real, "\(name)") }
        for (name, bytes) in [
            ("png", SampleFiles.png(width: 3, height: 2)), ("jpg", SampleFiles.elf), ("jpg", page), ("pdf", page),
            ("xls", SampleFiles.elf), ("xls", SampleFiles.text("#!/bin/sh\n")), ("doc", SampleFiles.zip(["a"])),
            ("docx", SampleFiles.text("hello")), ("mp3", SampleFiles.png(width: 3, height: 2)),
        ] { #expect(try type(bytes).realType(named: name) == nil, "\(name)") }
        #expect(try type(page).realType(named: nil) == nil)
    }

    @Test("A picture or table under another one's name is taken if its own type is, and a program never")
    func misnamed() throws {
        func verdict(_ bytes: [UInt8], _ name: String, _ types: FileTypes) throws -> TypeInspector.Verdict {
            let inspector = TypeInspector(types: types, media: media, origin: .own)
            return try bytes.withUnsafeBytes { try inspector.verdict(on: $0, name: name) }
        }
        let png = SampleFiles.png(width: 2, height: 2)
        let page = SampleFiles.text("<!DOCTYPE html><html><body><p>x</p></body></html>")
        #expect(try verdict(png, "a.jpg", FileTypes(["jpg", "png"])) == .goesAs(type: "png"))
        #expect(try verdict(png, "a.jpg", FileTypes(["jpg"])) == .refused)
        #expect(try verdict(png, "a.jpg", FileTypes(["jpg"]).adding(["png"])) == .goesAs(type: "png"))
        #expect(try verdict(png, "a.pdf", FileTypes(["pdf", "png"])) == .refused)
        #expect(try verdict(page, "a.xls", FileTypes(["xls"])) == .refused)
        #expect(try verdict(page, "a.xls", FileTypes(["xls"]).withEveryName) == .goesAs(type: "html"))
        for name in ["a.jpg", "a.xls"] {
            #expect(try verdict(SampleFiles.elf, name, FileTypes(["jpg", "xls"]).withEveryName) == .refused)
        }
    }

    @Test("An extension without a rule may hold anything but programs; if programs are allowed, they pass")
    func others() throws {
        #expect(try type(SampleFiles.zip(["a"])).suits(type: "kdbx"))
        #expect(try type(SampleFiles.text("hello")).suits(type: nil))
        for bytes in [SampleFiles.elf, SampleFiles.windowsProgram, SampleFiles.text("#!/bin/sh\n")] {
            #expect(try !type(bytes).suits(type: "kdbx"))
            #expect(try !type(bytes).suits(type: nil))
            #expect(try type(bytes).suits(type: "exe"))
        }
        #expect(try type(SampleFiles.text("#!/bin/sh\n")).suits(type: "sh"))
        #expect(try type(SampleFiles.zip(["a"])).suits(type: "zip"))
        #expect(try !type(SampleFiles.elf).suits(type: "sh"))
    }

    @Test("A worker that is killed between two questions is started again, and the caller doesn't notice")
    func killed() throws {
        let gif = SampleFiles.gif()
        #expect(try type(gif).mediaType == "image/gif")
        for _ in 0..<3 {
            let pid = try #require(media.workerPID(of: .own))
            kill(pid, SIGKILL)
            #expect(try type(gif).mediaType == "image/gif")
            #expect(media.workerPID(of: .own) != pid)
        }
        media.stop()
        #expect(media.workerPID(of: .own) == nil)
        #expect(try type(gif).mediaType == "image/gif")
    }

    /// Writes a program that takes the place of kibo-media.
    private func program(_ text: String, in directory: TemporaryDirectory) throws -> MediaProgram {
        let path = directory.file("fake")
        try TextFile.writeProgram("#!/bin/sh\n\(text)\n".utf8, to: path)
        return MediaProgram(path: path, patience: .milliseconds(300), log: Logger(label: "test", sink: log))
    }

    @Test("If types are limited, a file of unknown type is refused: the worker dies, hangs or answers nonsense")
    func unable() throws {
        let directory = try TemporaryDirectory()
        let bytes = SampleFiles.text("hello")
        for text in ["exit 1", "exec sleep 60", "echo nonsense", "yes", "printf 'image/gif wood\\n'", "kill -9 $$"] {
            let media = try program(text, in: directory)
            defer { media.stop() }
            let inspector = TypeInspector(types: FileTypes(["txt"]), media: media, origin: .own)
            #expect(try bytes.withUnsafeBytes { try inspector.verdict(on: $0, name: "a.txt") } == .refused, "\(text)")
            let all = TypeInspector(types: FileTypes(["*"]), media: media, origin: .own)
            #expect(try bytes.withUnsafeBytes { try all.verdict(on: $0, name: "a.txt") } == .goes)
        }
        #expect(!log.lines(containing: "the type of a file could not be told").isEmpty)
        let missing = MediaProgram(path: nil, log: Logger(label: "test", sink: log))
        let inspector = TypeInspector(types: FileTypes(["txt"]), media: missing, origin: .own)
        #expect(
            try bytes.withUnsafeBytes { try inspector.verdict(on: $0, name: "a.txt") } == .goes,
            "without the program only names count")
        #expect(inspector.objection(to: nil, name: "a.txt") == nil)
    }

    @Test(
        "Each sender has its own process: one that hangs holds up no other sender's file, and few idle ones are kept"
    )
    func senders() throws {
        let directory = try TemporaryDirectory()
        // The program reads the length and as many bytes, and hangs if they begin with h.
        let path = directory.file("fake")
        let text = """
            #!/bin/sh
            while set -- $(dd bs=1 count=4 2>/dev/null | od -An -tu1) && [ -n "$4" ]; do
                case $(dd bs=1 count=$4 2>/dev/null) in h*) exec sleep 60;; esac
                echo text/plain text
            done
            """
        try TextFile.writeProgram(text.utf8, to: path)
        let media = MediaProgram(path: path, patience: .seconds(60), log: Logger(label: "test", sink: log))
        let senders = try (0..<10).map {
            MediaOrigin.peer(try #require(AccountID(bytes: [UInt8](repeating: $0, count: 32))))
        }
        func type(_ text: String, from sender: MediaOrigin) throws -> ContentType {
            try Array(text.utf8).withUnsafeBytes { try media.type(of: $0, from: sender) }
        }
        let hanging = Answer<ContentType>()
        _ = try PlatformThread.spawn(name: "hangs") {
            hanging.give(Result { try Array("hang".utf8).withUnsafeBytes { try media.type(of: $0, from: senders[0]) } })
        }
        try Patience.until("the first sender's worker to be asked") { media.workerPID(of: senders[0]) != nil }
        for sender in senders.dropFirst() + [.own] {
            #expect(try type("good", from: sender).mediaType == "text/plain")
        }
        #expect(media.workerCount <= MediaLimits.idleMediaWorkers + 1)
        let pids = try (senders[8...] + [.own]).map { try #require(media.workerPID(of: $0)) }
        #expect(Set(pids).count == 3)
        // The first sender's worker still hangs; stopping ends it.
        #expect(media.workerPID(of: senders[0]) != nil)
        media.stop()
        #expect((try? hanging.wait().get()) == nil)
    }

    @Test("There is no preview if it takes too long, its output is no picture, or what makes it is killed")
    func previews() throws {
        let directory = try TemporaryDirectory()
        let picture = directory.file("a.png")
        try TextFile.write(SampleFiles.png(width: 400, height: 300), to: picture)
        let file = open(picture, O_RDONLY)
        defer { close(file) }
        func preview(_ media: MediaProgram, _ time: Duration) -> [UInt8]? {
            lseek(file, 0, SEEK_SET)
            return media.preview(ofPicture: file, until: SystemClocks().now + time)
        }
        let made = try #require(preview(media, .seconds(30)))
        #expect(PreviewRules.isPicture(made) && made.count <= PreviewRules.bytes)
        for text in ["exec sleep 60", "echo hello", "yes", "exit 1"] {
            let clocks = SystemClocks()
            let begin = clocks.now
            #expect(preview(try program(text, in: directory), .milliseconds(300)) == nil, "\(text)")
            #expect(clocks.now - begin < .seconds(10))
        }
        let begins = "printf '\\377\\330\\377'"
        #expect(preview(try program(begins, in: directory), .seconds(10)) != nil)
        #expect(preview(try program(begins + "; kill -9 $$", in: directory), .seconds(10)) == nil)
        #expect(!PreviewRules.isPicture(SampleFiles.gif()))
        #expect(!PreviewRules.isPicture([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: PreviewRules.bytes)))
    }

    @Test("The name's type is shown if the content agrees, else the content's type; sizes and lengths are shown too")
    func show() throws {
        #expect(FileShow(name: "a.csv", content: try type(SampleFiles.text("a,b\n1,2\n"))).type.name == "text/csv")
        #expect(FileShow(name: "a.dat", content: try type(SampleFiles.gif())).type.kind == .image)
        #expect(FileShow(name: "a.pdf", content: try type(SampleFiles.elf)).type.kind == .other)
        #expect(FileShow(name: "a.png", content: nil).type.kind == .image)
        let directory = try TemporaryDirectory()
        try TextFile.write(SampleFiles.wav(seconds: 2), to: directory.file("a.wav"))
        let file = open(directory.file("a.wav"), O_RDONLY)
        defer { close(file) }
        var sound = FileShow(name: "a.wav", content: try type(SampleFiles.wav(seconds: 2)))
        sound.look(at: file, size: 32_044, from: .own, media: media, until: SystemClocks().now + .seconds(30))
        #expect(sound.duration == 2000 && sound.preview == nil)
    }
}
