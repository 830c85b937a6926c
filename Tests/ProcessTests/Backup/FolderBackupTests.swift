import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: a timer keeps the newest backups in a folder without any secret on the disk, and removes nothing but its own.
@Suite("Backups in a folder", .serialized)
struct FolderBackupTests {
    /// Parameters of a backup in a folder.
    private static func folder(_ path: String, keep: Int64) -> JSONObject {
        ["directory": .string(path), "keep": .integer(keep)]
    }

    private func rotate(_ daemon: DaemonProcess, _ path: String, keep: Int64) throws -> (BackupSummary, removed: Int64)
    {
        let result = try daemon.slowly("backup.rotate", Self.folder(path, keep: keep))
        return (try BackupSummary(json: result["backup"] ?? .null), try #require(result["removed"]?.integer))
    }

    private func status(_ daemon: DaemonProcess) throws -> BackupStatus {
        try BackupStatus(json: daemon.call("backup.status"))
    }

    @Test("Four times with three to keep leaves the three newest and all that is not ours; the code alone opens them")
    func keeps() throws {
        let anna = try DaemonProcess.launchSealed(name: "Anna")
        let (id, folder) = (try anna.account.id, try anna.directory.makeDirectory("folder"))
        let unseen = try anna.kibo("backup", "--to", folder, "--keep", "3", within: .seconds(60))
        #expect(unseen.isDone && unseen.text.contains("never shown"), "\(unseen)")
        let code = try #require(
            try anna.call("recovery.code", ["passphrase": .string(DaemonProcess.passphrase)])["code"]?.string)
        let first = try #require(TemporaryDirectory.names(in: folder).first)
        #expect(
            first.hasPrefix(id.prefix(21)) && first.hasSuffix("Z.kibo")
                && TemporaryDirectory.names(in: folder).count == 1)
        let file = try TextFile.bytes(folder + "/" + first)
        // What is not ours by name, by head or by kind stays, however old it looks.
        let own = first.dropLast("20261128T033000Z.kibo".count)
        let target = anna.directory.file("target.kibo")
        try TextFile.write(file, to: target)
        let thesis = "\(own)20010101T000000Z.kibo"
        let link = "\(own)20010102T000000Z.kibo"
        try TextFile.write("years of work".utf8, to: folder + "/" + thesis)
        #expect(symlink(target, folder + "/" + link) == 0)
        var foreign: Set<String> = [thesis, link]
        for name in [
            "other-\(first)", "\(own)other-20010101T000000Z.kibo", "\(own)20010101T000000Z.kibo.bak",
            "\(own)2001010100T0000Z.kibo", "anna.kibo", "thesis.kibo.part",
        ] {
            try TextFile.write(file, to: folder + "/" + name)
            foreign.insert(name)
        }
        #expect(mkdir("\(folder)/\(own)20010103T000000Z.kibo", 0o700) == 0)
        foreign.insert("\(own)20010103T000000Z.kibo")
        // A daemon was killed while it made this one.
        try TextFile.write(file.prefix(500), to: "\(folder)/\(own)20010104T000000Z.kibo.part")

        // It needs no keys.
        try anna.call("account.lock")
        var removed: Int64 = 0
        for _ in 0..<3 { removed += try rotate(anna, folder, keep: 3).removed }
        #expect(removed == 1)
        let names = Set(TemporaryDirectory.names(in: folder))
        let kept = names.subtracting(foreign)
        #expect(kept.count == 3 && !kept.contains(first) && names.isSuperset(of: foreign), "\(names.sorted())")
        #expect(kept.allSatisfy { $0.hasPrefix(own) && $0.hasSuffix("Z.kibo") })
        #expect(try TextFile.bytes(target) == file && TextFile.text(folder + "/" + thesis) == "years of work")
        let newest = folder + "/" + (kept.max() ?? "")
        #expect(try status(anna).last?.path == newest)
        // A clock that was years ahead once: the new one stays all the same.
        let ahead = "\(folder)/\(own)20990101T000000Z.kibo"
        try TextFile.write(file, to: ahead)
        let (made, gone) = try rotate(anna, folder, keep: 1)
        #expect(gone == 4 && access(made.path, F_OK) == 0 && access(ahead, F_OK) != 0)
        #expect(!made.takesPassphrase && made.takesCode && made.complete && made.hasPassphrase)

        let wrong = try anna.backupRefusal("backup.check", DaemonProcess.backup(made.path))
        #expect(wrong?.kind == .invalid && wrong?.message.contains("has no passphrase") == true)
        try anna.startEmpty()
        let restored = try anna.restore(made.path, code)
        #expect(restored.account == id && restored.complete)
        #expect(try anna.call("recovery.code")["code"]?.string == code)
        let after = try status(anna)
        #expect(after.last?.madeAt == made.madeAt && !after.due, "a restored backup is the last one that is known")
    }

    @Test("A folder that is missing, is none, is a link or can't be written to, and no number at all: each is said")
    func refusals() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let (real, link) = (try anna.directory.makeDirectory("real"), anna.directory.file("link"))
        #expect(symlink(real, link) == 0)
        try TextFile.write([1], to: anna.directory.file("file"))
        for (path, kind, words) in [
            (anna.directory.file("missing"), Reason.notFound, "is not there"),
            (anna.directory.file("file"), .invalid, "is not a folder"),
            (link, .invalid, "symbolic link"), (link + "/", .invalid, "symbolic link"),
        ] {
            let refusal = try #require(try anna.backupRefusal("backup.rotate", Self.folder(path, keep: 1)))
            #expect(refusal.kind == kind && refusal.message.contains(words), "\(refusal)")
            #expect(refusal.field == "directory")
        }
        #expect(TemporaryDirectory.names(in: real) == [])
        #expect(try anna.kibo("backup", "--to", real, "--keep", "0").text.contains("from 1 to 1000"))
        #expect(try anna.kibo("backup", "--to", real, "--keep", "0").code == 2)
        #expect(try anna.kibo("backup", "--to", real, anna.directory.file("x")).code == 2)
        #expect(try anna.kibo("backup", "--keep", "3", anna.directory.file("x")).code == 2)
        #expect(try anna.kibo("backup", "--to", real).isDone)
        #expect(TemporaryDirectory.names(in: real).count == 1)
    }

    @Test(
        "On a full disk and on one for reading the older ones stay, and no part of a new one",
        .enabled(if: getuid() == 0, "it takes root to mount a small file system"))
    func disks() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        guard let disk = SmallDisk(at: try anna.directory.makeDirectory("stick"), bytes: 4 << 20) else { return }
        defer { withExtendedLifetime(disk) {} }
        for _ in 0..<2 { _ = try rotate(anna, disk.path, keep: 2) }
        let before = TemporaryDirectory.names(in: disk.path)
        disk.fill()
        #expect(try anna.backupRefusal("backup.rotate", Self.folder(disk.path, keep: 1))?.kind == .noSpace)
        #expect(Set(TemporaryDirectory.names(in: disk.path)) == Set(before + ["filling"]))
        #expect(mount("tmpfs", disk.path, nil, UInt(MS_REMOUNT | MS_RDONLY), "mode=700") == 0)
        let refusal = try #require(try anna.backupRefusal("backup.rotate", Self.folder(disk.path, keep: 1)))
        #expect(refusal.kind == .invalid && refusal.message.contains("can't be written to"), "\(refusal)")
        #expect(Set(TemporaryDirectory.names(in: disk.path)) == Set(before + ["filling"]))
        #expect(try status(anna).last?.name == before.max(), "what failed is not noted")
    }

    @Test("The status knows the last backup, when one is due and how far one is; a page learns no path and no key")
    func known() throws {
        let anna = try DaemonProcess(name: "Anna", options: .init())
        try anna.start()
        let empty = try status(anna)
        #expect(empty.last == nil && !empty.due, "there is nothing to lose yet")
        try anna.createAccount()
        func advice() throws -> DoctorCheck {
            let checks = try (anna.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
            return try #require(checks.first { $0.name == "backup" })
        }
        func row() throws -> String? {
            try anna.kibo("status").text.split(separator: "\n").first { $0.hasPrefix("Backup") }.map(String.init)
        }
        #expect(try status(anna).due && status(anna).codeShownAt == nil)
        #expect(try advice().findings.first?.code == .backupNone && advice().ok)
        #expect(try row()?.contains("kibo backup FILE") == true)
        let path = anna.directory.file("anna.kibo")
        let (client, other) = (try anna.connect(), try anna.connect())
        let request = try client.send("backup.create", DaemonProcess.backup(path))
        try client.flush()
        let running = try Patience.until("it to be seen", within: .seconds(60)) {
            try BackupStatus(json: other.call("backup.status")).running
        }
        #expect(running.total == 0 || running.done <= running.total)
        let made = try BackupSummary(json: client.reply(to: request, timeout: .seconds(120)))
        let known = try status(anna)
        #expect(known.running == nil && !known.due)
        #expect(known.last?.path == path && known.last?.name == "anna.kibo" && known.last?.madeAt == made.madeAt)
        #expect(known.last?.takesPassphrase == true && known.last?.takesCode == true)
        #expect(try advice().findings.first?.code == .backupMade && advice().advice.isEmpty)
        #expect(try row() == nil, "it is said only when one is due")
        let web = try anna.connect()
        try web.call("system.hello", ["client": "gateway", "version": "1", "role": "web"])
        let shown = try web.call("backup.status")
        #expect(shown["last"]?["path"] == .null && shown["last"]?["name"]?.string == "anna.kibo")

        // A month later.
        let note = anna.dataPath + "/last-backup"
        let old = try TextFile.text(note).replacing(
            "\(made.madeAt)", with: "\(made.madeAt - 31 * 86_400_000)")
        try TextFile.write(old.utf8, to: note)
        #expect(try status(anna).due && advice().findings.first?.code == .backupOld)
        // Made while the clock was years ahead.
        for time in ["4000000000000", "9223372036854775807", "-9223372036854775808"] {
            try TextFile.write(old.replacing("\(made.madeAt - 31 * 86_400_000)", with: time).utf8, to: note)
            #expect(try status(anna).due, "\(time)")
        }
        // Nonsense is no backup, and harms nothing.
        for text in ["", "{", #"{"account":1,"last":{}}"#, String(repeating: "[", count: 20_000)] {
            try TextFile.write(text.utf8, to: note)
            #expect(try status(anna).last == nil)
        }
        // Nor is one of another account.
        try TextFile.write(old.replacing(try anna.account.id, with: "kibo1other").utf8, to: note)
        #expect(try status(anna).last == nil)
    }
}
