import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: the administrator of an office keeps one file for years: people come and go, and each change is signed.
@Suite("kibo roster", .serialized)
struct RosterProcessTests {
    private static func names(_ anna: DaemonProcess, _ path: String) throws -> [String] {
        let shown = try anna.kibo("--json", "roster", "show", path)
        let json = try JSONParser.parse(shown.text)
        return (json["members"]?.array ?? []).compactMap { $0["name"]?.string }.sorted()
    }

    @Test("People are added and removed, the file stays signed and whole, and only its signer can change it")
    func story() throws {
        let port = try FreePort.udp()
        let daemons = try ["Anna", "Ben", "Carl"].map {
            try DaemonProcess.launch(name: $0, options: .init(discoveryPort: port))
        }
        let (anna, ben) = (daemons[0], daemons[1])
        try Patience.until("Anna to see the others", report: anna.logTail) { try anna.peers.count == 2 }
        let directory = try TemporaryDirectory()
        let path = directory.file("office.json")
        #expect(try anna.kibo("roster", "make", path, "Ben").code == 0)
        #expect(try Self.names(anna, path) == ["Anna", "Ben"])
        #expect(try anna.kibo("roster", "make", path, "Ben").code == 1, "it is there already")
        chmod(path, 0o640)

        let added = try anna.kibo("roster", "add", path, "Carl", "Ben")
        #expect(
            added.code == 0 && added.text.contains("1 member was added") && added.text.contains("kibo reload"),
            "\(added)")
        #expect(try Self.names(anna, path) == ["Anna", "Ben", "Carl"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(TemporaryDirectory.names(in: directory.path) == ["office.json"])
        #expect(try anna.kibo("roster", "add", path, "--nearby").text.contains("all in it already"))

        // Ben has gone, and Anna's daemon knows him no more; the file still does.
        ben.kill()
        let removed = try anna.kibo("roster", "remove", path, "Ben")
        #expect(removed.code == 0 && removed.text.contains("1 member was removed"), "\(removed)")
        #expect(try Self.names(anna, path) == ["Anna", "Carl"])
        #expect(try anna.kibo("roster", "remove", path, "Ben").code != 0)
        #expect(try anna.kibo("roster", "remove", path, "Anna").text.contains("always in it"))
        #expect(try anna.kibo("roster", "remove", path, "Carl").text.contains("obody"), "a roster has two members")

        let shown = try daemons[2].kibo("roster", "show", path)
        #expect(shown.code == 0 && shown.text.contains("has 2 members; Anna signed it on 20"), "\(shown)")
        let foreign = try daemons[2].kibo("roster", "add", path, "--nearby")
        #expect(foreign.code == 1 && foreign.text.contains("only that account can change it"), "\(foreign)")
        let good = try TextFile.text(path)
        try TextFile.write(good.replacing("Carl", with: "Carla").utf8, to: path)
        for words in [["show", path], ["add", path, "Carl"]] {
            let run = try anna.kibo(["roster"] + words)
            #expect(run.code == 1 && run.text.contains("the file was changed after it was made"), "\(run)")
        }
        try TextFile.write(good.utf8, to: path)

        // The changed file is newer, so hosts take it.
        let configuration = directory.file("kibod.json5")
        try TextFile.write(
            "{ roster: { file: \"\(path)\", signer: \"\(try anna.account.id)\" } }".utf8, to: configuration)
        #expect(try CheckProcessTests.check(configuration).code == .exited(0))
    }
}
