import Glibc
import TestSupport
import Testing

/// Goal: a user whose home is on a file server learns from the refused daemon where the other one runs.
@Suite("One daemon at a time has the data", .serialized)
struct DataLockTests {
    @Test("A second daemon is refused with 6, and told which process has the data, on which host if it is another one")
    func refused() throws {
        let anna = try DaemonProcess(name: "Anna", options: .init())
        try anna.start()
        let second = anna.directory.file("second")
        let child = try ChildProcess(
            ProgramPaths.kibod,
            ["--data", anna.dataPath, "--socket", anna.directory.file("other.sock"), "--no-discovery"],
            environment: [
                "PATH": "/usr/bin:/bin", "KIBOD_HOST_CONFIG": anna.hostConfigurationPath, "HOME": anna.dataPath,
            ],
            outputPath: second)
        #expect(child.wait(Patience.usual) == .exited(6))
        let process = try #require(anna.pid)
        let told = try TextFile.text(second)
        #expect(told == "kibod: another kibod (process \(process)) uses the data in \(anna.dataPath)\n")
        try anna.stop()

        // A daemon of another host has the lock, and its name would do harm in a terminal.
        let file = open(anna.dataPath + "/lock", O_RDWR)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        for (note, words) in [
            ("anvil 77\n", "a kibod on the host anvil uses the data in \(anna.dataPath): "),
            ("an\u{1B}[2Jvil 77\n", "a kibod on the host an\\u{1b}[2Jvil uses the data"),
            ("", "another kibod uses the data in"), ("one two three\n", "another kibod uses the data in"),
            (String(repeating: "x", count: 5_000), "another kibod uses the data in"),
        ] {
            let bytes = Array(note.utf8)
            #expect(ftruncate(file, 0) == 0 && pwrite(file, bytes, bytes.count, 0) == bytes.count)
            try anna.spawn()
            #expect(anna.waitForEnd() == .exited(6))
            #expect(anna.log.contains(words), "\(anna.log)")
        }
        // The lock counts, not the note: a note that a power cut has left keeps nobody out.
        #expect(flock(file, LOCK_UN) == 0)
        try anna.start()
    }

    @Test(
        "Data of another user's number are refused, also in a folder of one's own",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        let anna = try DaemonProcess(name: "Anna", options: .init())
        #expect(chown(anna.dataPath, 65534, 65534) == 0)
        try anna.spawn()
        #expect(anna.waitForEnd() == .exited(78))
        #expect(anna.log.contains("\(anna.dataPath) belongs to another user (number 65534, this is 0)"), "\(anna.log)")
    }
}
