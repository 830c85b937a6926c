import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A file system in memory of a fixed size, which exists as long as the value lives.
final class SmallDisk {
    let path: String

    /// Returns nil if this process may not mount.
    init?(at path: String, bytes: Int) {
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else { return nil }
        self.path = path
    }

    deinit { umount2(path, Self.lazily) }

    /// MNT_DETACH of umount2(2).
    private static let lazily: CInt = 2

    /// Writes a file until nothing fits any more.
    func fill() {
        let file = open(path + "/filling", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        var size = 1 << 16
        let bytes = [UInt8](repeating: 7, count: size)
        while size > 0 { if write(file, bytes, size) <= 0 { size /= 2 } }
        close(file)
    }

    /// Lets a file take so much that only these bytes are free.
    func fill(to free: UInt64) {
        let file = open(path + "/filling", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        while self.free >= free + 1 << 20 { if write(file, bytes, bytes.count) <= 0 { break } }
        close(file)
    }

    /// Bytes that are free.
    var free: UInt64 {
        var figures = statvfs()
        return statvfs(path, &figures) == 0 ? UInt64(figures.f_bavail) * UInt64(figures.f_frsize) : 0
    }

    func makeRoom() { unlink(path + "/filling") }
}

/// A daemon whose disk is full, with a real disk.
@Suite("A full data disk", .serialized)
struct FullDiskProcessTests {
    @Test(
        "The daemon starts on a full disk, shows the history, takes nothing, reports this, and goes on when there is room",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"), arguments: [false, true])
    func start(isKilled: Bool) throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess(name: "Bert", options: options)
        guard let disk = SmallDisk(at: bert.dataPath, bytes: 6 << 20) else { return }
        defer { withExtendedLifetime(disk) {} }
        try bert.start()
        // The disk is smaller than the reserve below which nothing is taken from peers.
        try Patience.until("the disk to be short", report: bert.logTail) { try bert.status.disk.room == .short }
        #expect(try bert.status.disk.freeBytes ?? 0 > 0 && bert.kibo("status").text.contains("nearly full"))
        let events = try bert.connect()
        _ = try events.call("events.subscribe", ["types": ["disk.changed"]])
        try bert.set("files.freeSpaceFloorBytes", to: 0)
        let event = try #require(try events.nextEvent(timeout: Patience.usual))
        #expect(try event.seq == nil && DiskState(json: event.data).room == .enough)
        try bert.createAccount()
        try anna.befriend(bert)
        let id = try bert.account.id
        let sent = try MessageProcessTests.send("before", from: anna, to: id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        let conversation = try bert.conversation(with: anna)
        if isKilled { bert.kill() } else { try bert.stop() }

        disk.fill()
        try bert.start()
        #expect(try MessageProcessTests.texts(bert, conversation) == ["before"])
        let refusal = FilePolicyProcessTests.refusal {
            try bert.call("message.send", ["to": .string(try anna.account.id), "text": "no room"])
        }
        #expect(refusal?.kind == .noSpace && refusal?.retryable == true)
        try Patience.until("the disk to be full", report: bert.logTail) { try bert.status.disk.room == .full }
        #expect(try bert.kibo("status").text.contains("full"))
        let doctor = try bert.call("system.doctor")
        let checks = try (doctor["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        #expect(checks.first { $0.name == "disk" }?.ok == false)
        #expect(checks.first { $0.name == "database" }?.ok == true)
        let waiting = try MessageProcessTests.send("meanwhile", from: anna, to: id)
        #expect(try MessageProcessTests.texts(bert, conversation) == ["before"])
        // Reading is no failure, and is noted once there is room.
        let read = try bert.kibo(["read", "Anna"])
        #expect(read.code == 0 && read.text.contains("before") && read.text.contains("when there is room"))
        let unread = { try bert.call("conversation.get", ["id": .string(conversation)])["unread"]?.integer }
        #expect(try unread() == 1)

        disk.makeRoom()
        try MessageProcessTests.waitForState(.delivered, of: waiting.id, at: anna)
        // The new message alone.
        try Patience.until("what was read to be noted", report: bert.logTail) { try unread() == 1 }
        #expect(try MessageProcessTests.texts(bert, conversation) == ["before", "meanwhile"])
        try Patience.until("room to be told", report: bert.logTail) { try bert.status.disk.room == .enough }
        _ = try MessageProcessTests.send("again", from: bert, to: anna.account.id)
        try bert.stop()
        try bert.start()
        #expect(try MessageProcessTests.texts(bert, conversation) == ["before", "meanwhile", "again"])
        try bert.stop()
    }
}
