import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: no program but kibo-media ever looks at a video that has come from somebody else, whatever is done with it; one of the user's
/// own has a preview, which a program of the host makes.
@Suite("Whose videos a program of the host decodes", .serialized, .enabled(if: geteuid() == 0, "mounting needs root"))
struct FilmProcessTests {
    /// What stands in the places of kibo-media, which notes the words that it is started with, and of the program that decodes videos.
    private let stage: TemporaryDirectory

    init() throws {
        stage = try TemporaryDirectory()
        let still = try Self.base64(SampleFiles.png(width: 9, height: 6))
        try stage.makeDirectory("bin")
        try TextFile.writeProgram(
            "#!/bin/sh\nbase64 -d <<END\n\(still)\nEND\n".utf8, to: stage.file("bin/ffmpegthumbnailer"))
    }

    private static func base64(_ bytes: [UInt8]) throws -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < part.count ? Int(part[start + $1]) : 0) }
            text += String((0..<4).map { $0 <= part.count ? digits[bits >> (18 - 6 * $0) & 63] : "=" })
        }
        return text
    }

    /// A daemon with a file system of its own, in which those programs stand.
    private func launch(_ name: String, network: UInt16) throws -> DaemonProcess {
        var options = DaemonProcess.Options(discoveryPort: network)
        let (words, real, noting) = (words(of: name), stage.file("real-\(name)"), stage.file("noting-\(name)"))
        try TextFile.write([], to: words)
        try TextFile.write([], to: real)
        try TextFile.writeProgram("#!/bin/sh\necho \"$*\" >> '\(words)'\nexec '\(real)' \"$@\"\n".utf8, to: noting)
        let script = """
            mount --bind '\(ProgramPaths.media)' '\(real)' && mount --bind '\(noting)' '\(ProgramPaths.media)' || exit 1
            [ ! -e /usr/bin/ffmpegthumbnailer ] || mount --bind '\(stage.file("bin/ffmpegthumbnailer"))' /usr/bin/ffmpegthumbnailer
            mount --bind '\(stage.file("bin"))' /usr/local/bin && exec "$@"
            """
        options.wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        return try DaemonProcess.launch(name: name, options: options)
    }

    private func words(of name: String) -> String { stage.file("words-\(name)") }

    /// How often a program of the host was asked to decode a video.
    private func decodings(at daemon: DaemonProcess) throws -> Int {
        try TextFile.text(words(of: daemon.name)).split(separator: "\n").count { $0.hasPrefix("frame") }
    }

    /// Bytes of the JPEG of a transfer; nil if there is none.
    private func thumbnail(_ id: String, at daemon: DaemonProcess, entry: JSONValue = .null) throws -> [UInt8]? {
        do {
            let (_, file) = try daemon.client.callForDescriptor(
                "transfer.thumbnail", ["id": .string(id), "entry": entry, "side": "320"], timeout: .seconds(30))
            defer { close(file) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(file, &buffer, buffer.count)
            return Array(buffer.prefix(max(0, count)))
        } catch ClientError.refused {
            return nil
        }
    }

    @Test(
        "A video of one's own is decoded when it is sent; one that has come never, nor when it goes on under another name"
    )
    func whose() throws {
        let network = try FreePort.udp()
        let (anna, bert) = (try launch("Anna", network: network), try launch("Bert", network: network))
        try anna.befriend(bert)
        let path = anna.directory.file("film.mp4")
        try TextFile.write(SampleFiles.mp4(milliseconds: 1500), to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        #expect(try decodings(at: anna) == 1)
        // The offer's preview is shown on both sides, before and after the video has come.
        for isHere in [false, true] {
            if isHere {
                try bert.call("transfer.accept", ["id": .string(id)])
                #expect(try FileProcessTests.waitForEnd(id, at: bert).state == .done)
            }
            // On a busy machine the offer may go without it.
            let shown = try thumbnail(id, at: anna)
            #expect(shown?.starts(with: [0xFF, 0xD8, 0xFF]) != false)
            #expect(try (thumbnail(id, at: bert) == nil) == (shown == nil))
        }
        #expect(try decodings(at: anna) == 1, "showing decodes nothing")

        // A folder's videos are nobody's preview.
        let folder = try anna.directory.makeDirectory("trip")
        let inner = SampleFiles.mp4(milliseconds: 900) + [1, 2, 3]
        try TextFile.write(inner, to: "\(folder)/inner.mp4")
        // Of a single file the folder would have the size, by which it would be found.
        try TextFile.write([1], to: "\(folder)/more.txt")
        let trip = try FileProcessTests.offer(folder, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(trip)])
        #expect(try FileProcessTests.waitForEnd(trip, at: bert).state == .done)
        for daemon in [anna, bert] { #expect(try thumbnail(trip, at: daemon, entry: 1) == nil) }

        // What has come goes on: as it lies there, copied, and out of the folder.
        let copy = bert.directory.file("mine.mp4")
        try TextFile.write(TextFile.bytes(bert.downloadsPath + "/film.mp4"), to: copy)
        let moved = bert.directory.file("moved.mp4")
        #expect(rename(bert.downloadsPath + "/trip/inner.mp4", moved) == 0)
        for sent in [bert.downloadsPath + "/film.mp4", copy, moved] {
            let again = try FileProcessTests.offer(sent, from: bert, to: anna)
            for daemon in [anna, bert] { #expect(try thumbnail(again, at: daemon) == nil) }
        }
        #expect(try decodings(at: bert) == 0)

        // So it is with a phone's folder.
        try bert.set("files.allowedTypes", to: ["*"])
        try bert.set("localsend.enabled", to: true)
        let given = bert.directory.file("given.mp4")
        // Nothing else here has its size.
        try TextFile.write(SampleFiles.mp4(milliseconds: 700) + [UInt8](repeating: 7, count: 50), to: given)
        let phone = try FakePhone(to: bert, ["beach/given.mp4<\(given)", "beach/b.txt"])
        let offer = try Patience.until("an offer") {
            try bert.call("guest.list")["offers"]?.array?.first?["id"]
        }
        try bert.call("guest.take", ["offer": offer])
        #expect(try phone.answers() == ["200", "id0 200", "id1 200"])
        // The note, and with it what is known of the files, is stored when all of them are here.
        try Patience.until("the note") {
            try bert.call("guest.list")["offers"]?.array?.first?["state"] == "taken"
        }
        #expect(unlink(given) == 0 && rename(bert.downloadsPath + "/beach/given.mp4", given) == 0)
        let again = try FileProcessTests.offer(given, from: bert, to: anna)
        for daemon in [anna, bert] { #expect(try thumbnail(again, at: daemon) == nil) }
        #expect(try decodings(at: bert) == 0)

        let own = bert.directory.file("own.mp4")
        try TextFile.write(SampleFiles.mp4(milliseconds: 1500) + [0], to: own)
        _ = try FileProcessTests.offer(own, from: bert, to: anna)
        #expect(try decodings(at: bert) == 1, "Bert sends his own video, so it gets a preview")
        #expect(try decodings(at: anna) == 1)
    }
}
