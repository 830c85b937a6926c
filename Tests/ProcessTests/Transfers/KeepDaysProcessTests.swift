import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Tests `files.keepDays` with a real daemon.
@Suite("Files that are kept for some days only", .serialized)
struct KeepDaysProcessTests {
    /// Makes transfers and their messages old, as if they had ended so long ago.
    private static let ageing = """
        import sqlite3, sys
        base = sqlite3.connect(sys.argv[1])
        base.execute("UPDATE transfer SET finished_at = finished_at - 100 * 86400000")
        base.execute("UPDATE message SET first_seen = first_seen - 100 * 86400000")
        base.commit()
        """

    @Test(
        "An unused file is removed from the download directory, its message stays and says so; other files stay",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"),
        arguments: [[], [TestDisk.Lack.bare]])
    func removal(lacks: [TestDisk.Lack]) throws {
        let disk = try TestDisk()
        var file = statvfs()
        let (anna, bert) = try FilePolicyProcessTests.friends()
        // If times of use are not written, nothing is ever removed, so this test can't see anything.
        if statvfs(bert.directory.path, &file) != 0 || file.f_flag & (1 | 1024) != 0 { return }
        var paths: [String: String] = [:]
        var message = ""
        for name in ["old.txt", "read.txt", "mine.txt"] {
            let path = anna.directory.file(name)
            try TextFile.write(Array(name.utf8), to: path)
            if name == "mine.txt" { try bert.set("files.autoDownload", to: "never") }
            let id = try FilePolicyProcessTests.send(path, from: anna, to: bert)
            if name == "mine.txt" {
                try Patience.until("the offer", report: bert.logTail) {
                    (try? FileProcessTests.transfer(id, at: bert))?.state == .offered
                }
                let own = try bert.directory.makeDirectory("own")
                try bert.call("transfer.accept", ["id": .string(id), "path": .string(own)])
            }
            let done = try Patience.until("\(name) to arrive", report: bert.logTail) {
                let transfer = try? FileProcessTests.transfer(id, at: bert)
                return transfer?.state == .done ? transfer : nil
            }
            let place: String = try #require(done.path)
            paths[name] = place
            if name == "old.txt" { message = try #require(done.message) }
        }
        try bert.stop()
        let output = bert.directory.file("ageing")
        let ageing = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", Self.ageing, bert.dataPath + "/kibo.sqlite"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        #expect(ageing.wait(.seconds(60)) == .exited(0), "\((try? TextFile.text(output)) ?? "")")
        for name in ["old.txt", "mine.txt"] {
            // The file looks as if it was last opened long ago; the time of the content stays.
            let old = timespec(tv_sec: time(nil) - 90 * 86_400, tv_nsec: 0)
            // UTIME_OMIT of utimensat(2).
            let same = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
            #expect(utimensat(AT_FDCWD, paths[name] ?? "", [old, same], 0) == 0)
        }
        try disk.carry(bert, isLogged: false, lacks: lacks)
        try bert.start()
        try bert.set("files.keepDays", to: 30)
        let old = try #require(paths["old.txt"])
        try Patience.until("the old file to go", report: bert.logTail) { access(old, F_OK) != 0 }
        let shown = try Patience.until("the message to say so", report: bert.logTail) {
            let found = try? Message(json: bert.call("message.get", ["id": .string(message)]))
            return found?.attachments.first?.removed == true ? found : nil
        }
        #expect(shown.attachments.first?.path == nil && shown.attachments.first?.state == .done)
        let left = TemporaryDirectory.names(in: bert.downloadsPath).filter { $0.hasSuffix(".kibo-part") }
        #expect(left.isEmpty)
        // One file was opened, and one was put into another directory.
        for name in ["read.txt", "mine.txt"] { #expect(access(paths[name] ?? "", F_OK) == 0, "\(name)") }
    }
}
