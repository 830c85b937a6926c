import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import TestSupport
import Testing

@Suite("Avatars between real daemons", .serialized)
struct AvatarProcessTests {
    private func put(_ bytes: [UInt8], as name: String, in daemon: DaemonProcess) throws -> JSONValue {
        let path = daemon.directory.file(name)
        try TextFile.write(bytes, to: path)
        return .string(path)
    }

    private func refusal(_ daemon: DaemonProcess, _ params: JSONObject) throws -> RPCError? {
        do {
            try daemon.call("account.update", params)
            return nil
        } catch ClientError.refused(let error) {
            return error
        }
    }

    /// Returns the files of all pictures that a daemon has.
    private func pictures(_ daemon: DaemonProcess) -> [String] {
        guard let directory = opendir(daemon.dataPath + "/avatars") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY)
        try #require(file >= 0, "\(path)")
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(file, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    @Test(
        "A picture becomes a small square and reaches all friends, also later; when it is removed, it goes everywhere")
    func life() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let id = try anna.account.id
        let path = try put(SampleFiles.png(width: 900, height: 600), as: "face.png", in: anna)
        let account = try Account(json: anna.call("account.update", ["avatarPath": path]))
        let own = try #require(account.avatar)
        let file = try bytes(own)
        #expect(file.starts(with: [0xFF, 0xD8, 0xFF]) && file.count <= 256 << 10)
        #expect(own.hasPrefix(anna.dataPath + "/avatars/"))
        var status = stat()
        #expect(stat(own, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let seen = try Patience.until("Bert to have it", report: bert.logTail) { try bert.contact(id)?.avatar }
        #expect(seen.hasPrefix(bert.dataPath + "/avatars/"))
        #expect(try bytes(seen).starts(with: [0xFF, 0xD8, 0xFF]))

        try bert.stop()
        _ = try anna.call(
            "account.update", ["avatarPath": try put(SampleFiles.gif(width: 1, height: 1), as: "dot.gif", in: anna)])
        try Patience.until("the old one to be gone") { pictures(anna).count == 1 }
        try anna.stop()
        try anna.start()
        try bert.start()
        _ = try Patience.until("Bert to have the new one", report: bert.logTail) {
            try bert.contact(id)?.avatar.flatMap { $0 == seen ? nil : $0 }
        }
        try Patience.until("Bert to have only that") { pictures(bert).count == 1 }
        _ = try anna.call("account.update", ["avatarPath": ""])
        #expect(try anna.account.avatar == nil)
        try Patience.until("Bert to have none", report: bert.logTail) { try bert.contact(id)?.avatar == nil }
        try Patience.until("both to have no file") { pictures(anna).isEmpty && pictures(bert).isEmpty }
    }

    @Test("Fifty megapixels, a bomb, other files and a missing file give clear errors and change nothing")
    func refused() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let good = try put(SampleFiles.png(width: 10, height: 10), as: "good.png", in: daemon)
        let before = try Account(json: daemon.call("account.update", ["avatarPath": good]))
        let files = pictures(daemon)
        for (name, content, kind, words): (String, [UInt8], String, String) in [
            ("large.png", SampleFiles.png(width: 1, height: 1, claimed: (8660, 5774)), "too_large", "8660 × 5774"),
            (
                "bomb.png", SampleFiles.png(width: 1, height: 1, claimed: (0x7FFF_FFFF, 0x7FFF_FFFF)), "too_large",
                "2147483647"
            ),
            ("broken.png", SampleFiles.png(width: 1, height: 1, claimed: (6000, 6000)), "invalid", "damaged"),
            ("program.png", SampleFiles.elf, "type_not_allowed", "not a picture"),
            ("empty.png", [], "type_not_allowed", "not"),
        ] {
            let path = try put(content, as: name, in: daemon)
            let error = try #require(try refusal(daemon, ["displayName": "Other", "avatarPath": path]), "\(name)")
            #expect(error.data?["kind"]?.string == kind && error.message.contains(words), "\(name): \(error)")
            #expect(error.data?["field"]?.string == "avatarPath")
        }
        mkfifo(daemon.directory.file("pipe"), 0o600)
        for (path, kind) in [
            (daemon.directory.file("none.png"), "not_found"), (daemon.directory.path, "invalid"),
            (daemon.directory.file("pipe"), "invalid"),
        ] {
            let error = try #require(try refusal(daemon, ["avatarPath": .string(path)]))
            #expect(error.data?["kind"]?.string == kind, "\(error)")
        }
        #expect(try daemon.account == before && pictures(daemon) == files)
    }

    /// Makes a friend of the test's own that shows a picture of this digest.
    private func friend(
        of daemon: DaemonProcess, named name: String, showing digest: [UInt8]
    ) throws -> (peer: TestPeer, link: PeerLink) {
        let peer = try TestPeer(name)
        let link = try peer.befriend(daemon)
        link.send(try card(of: peer, digest, version: 2))
        return (peer, link)
    }

    private func card(of peer: TestPeer, _ digest: [UInt8], version: UInt64) throws -> Frame {
        let profile = Card.Profile(displayName: peer.name, avatarDigest: digest)
        let card = try Card.issue(by: peer.deviceKey, certificate: peer.certificate, profile: profile, version: version)
        return Frame(kind: .card, body: card.encoded)
    }

    private func avatar(_ digest: [UInt8], _ file: [UInt8]?) throws -> Frame {
        Frame(kind: .avatar, body: try AvatarBody(digest: digest, file: file).encoded())
    }

    @Test("A picture that the card doesn't name or that may not be shown is dropped and not asked for again")
    func hostile() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let small = SampleFiles.png(width: 20, height: 20)
        for (name, shown, file): (String, [UInt8], [UInt8]) in [
            ("Another", Blake2b.hash(small), SampleFiles.png(width: 21, height: 20)),
            ("Program", Blake2b.hash(SampleFiles.elf), SampleFiles.elf),
            ("Bomb", Blake2b.hash(Self.bomb), Self.bomb),
        ] {
            let (peer, link) = try friend(of: daemon, named: name, showing: shown)
            let request = try link.frame(.avatarRequest)
            #expect(try AvatarRequestBody(decoding: request.body).digest == shown)
            link.send(try avatar(shown, file))
            // The same card comes again, and the same picture comes unasked: nothing happens any more.
            link.send(try card(of: peer, shown, version: 3), try avatar(shown, small))
            #expect(throws: PeerLink.Silence.self) { try link.frame(.avatarRequest, within: .seconds(1)) }
            #expect(try daemon.contact(peer.id)?.avatar == nil, "\(name)")
        }
        #expect(pictures(daemon).isEmpty)
        // An honest picture among them is shown.
        let (peer, link) = try friend(of: daemon, named: "Honest", showing: Blake2b.hash(small))
        _ = try link.frame(.avatarRequest)
        link.send(try avatar(Blake2b.hash(small), small))
        let path = try Patience.until("the picture", report: daemon.logTail) { try daemon.contact(peer.id)?.avatar }
        let kept = try bytes(path)
        #expect(
            kept.starts(with: [0xFF, 0xD8, 0xFF]) && kept != small,
            "the picture is made anew, so the friend's bytes are not passed on")
    }

    @Test(
        "A picture that was asked for in a session that ends is asked for again in another one, of the same device or not",
        arguments: [false, true])
    func interrupted(isOtherDevice: Bool) throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let small = SampleFiles.png(width: 20, height: 20)
        let digest = Blake2b.hash(small)
        let (peer, first) = try friend(of: daemon, named: "Bert", showing: digest)
        _ = try first.frame(.avatarRequest)
        let other = isOtherDevice ? try TestPeer("Bert", account: peer.accountKey) : peer
        // A second session of the same device takes the place of the first; one of another device is beside it.
        let second = try other.connect(to: daemon)
        second.send(try card(of: other, digest, version: 2))
        if isOtherDevice {
            second.send(Frame(kind: .ping))
            _ = try second.frame(.pong)
            first.socket.close()
        }
        // After ten seconds; a question without an answer is given up after thirty, and comes ten later.
        let request = try second.frame(.avatarRequest, within: .seconds(30))
        #expect(try AvatarRequestBody(decoding: request.body).digest == digest)
        second.send(try avatar(digest, small))
        _ = try Patience.until("the picture", report: daemon.logTail) { try daemon.contact(peer.id)?.avatar }
    }

    /// A small file that claims to be a picture of 60,000 by 60,000 pixels.
    private static let bomb = SampleFiles.png(width: 1, height: 1, claimed: (60_000, 60_000))

    @Test("Our picture is for friends; strangers don't hear of it, and repeated requests get few answers")
    func serving() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let path = try put(SampleFiles.png(width: 50, height: 50), as: "face.png", in: daemon)
        let account = try Account(json: daemon.call("account.update", ["avatarPath": path]))
        let file = try bytes(try #require(account.avatar))
        let digest = Blake2b.hash(file)
        let request = Frame(kind: .avatarRequest, body: try AvatarRequestBody(digest: digest).encoded())
        let stranger = try TestPeer().openSession(with: daemon)
        #expect(try Card(decoding: stranger.frame(.card).body).profile.avatarDigest == nil)
        stranger.send(request, Frame(kind: .ping))
        #expect(!(try PresenceProcessTests.kinds(stranger, until: .pong).contains(.avatar)))

        let link = try TestPeer("Friend").befriend(daemon)
        link.send(request)
        #expect(try AvatarBody(decoding: link.frame(.avatar).body) == AvatarBody(digest: digest, file: file))
        let other = [UInt8](repeating: 9, count: 32)
        link.send(Frame(kind: .avatarRequest, body: try AvatarRequestBody(digest: other).encoded()))
        #expect(try AvatarBody(decoding: link.frame(.avatar).body) == AvatarBody(digest: other, file: nil))
        for _ in 0..<1000 { link.send(request) }
        var count = 0
        while (try? link.frame(.avatar, within: .seconds(1))) != nil { count += 1 }
        #expect(count <= 3, "\(count)")
        #expect(daemon.isRunning)
    }
}
