import ControlProtocol
import Glibc
import TestSupport
import Testing

@Suite("What an idle daemon has in memory, and what is loaded later", .serialized)
struct IdleProcessTests {
    /// Whether a library is in the daemon's memory.
    private func has(_ daemon: DaemonProcess, _ library: String) throws -> Bool {
        try TextFile.text("/proc/\(#require(daemon.pid))/maps").contains("/" + library)
    }

    @Test("ICU and libphonenumber are loaded when names are sorted, and no thread is one that the daemon didn't make")
    func loadsLater() throws {
        let port = try FreePort.udp()
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(discoveryPort: port))
        let bert = try DaemonProcess.launch(name: "Bert", options: .init(discoveryPort: port))
        try anna.befriend(bert)
        _ = try anna.call("message.send", ["to": .string(bert.account.id), "text": "hello"])
        try anna.stop()
        try anna.start()
        try Patience.until("the friends to be connected", report: anna.logTail + bert.logTail) {
            try anna.contact(bert.account.id)?.presence == .online
        }
        _ = try anna.call("message.send", ["to": .string(bert.account.id), "text": "hello again"])
        for library in ["libkibo-text.so", "libicuuc", "libphonenumber", "libprotobuf"] {
            #expect(try !has(anna, library), "\(library) is in memory")
        }
        // A thread of the concurrency library's own pool wakes up each second, and each wait would end with two changes of threads.
        let threads = try ProcessFigures(pid: #require(anna.pid)).waits.keys
        #expect(threads.contains("reactor") && threads.contains("store-write"))
        #expect(threads.filter { $0.contains("qos") || $0.contains("dispatch") } == [])
        #expect(try anna.call("contact.list", [:])["contacts"]?.array?.count == 1)
        #expect(try has(anna, "libkibo-text.so") && has(anna, "libicuuc"))
    }

    @Test("Without libkibo-text.so the daemon says so, and does the rest")
    func withoutTheLibrary() throws {
        let folder = try TemporaryDirectory()
        let lone = folder.path + "/kibod"
        // A link, where that goes: the program is large.
        if link(ProgramPaths.kibod, lone) != 0 {
            try TextFile.writeProgram(TextFile.bytes(ProgramPaths.kibod), to: lone)
        }
        let port = try FreePort.udp()
        var options = DaemonProcess.Options(discoveryPort: port)
        options.wrapper = ["/bin/sh", "-c", "shift; exec \(lone) \"$@\"", "sh"]
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: .init(discoveryPort: port))
        #expect(anna.log.contains("libkibo-text.so is not installed"))
        #expect(!bert.log.contains("libkibo-text.so"))
        try anna.befriend(bert)
        #expect(try anna.call("contact.list", ["query": "bER"])["contacts"]?.array?.count == 1)
        let card = folder.path + "/people.vcf"
        try TextFile.write(Array("BEGIN:VCARD\nVERSION:3.0\nFN:Zoë\nTEL:+491701234567\nEND:VCARD\n".utf8), to: card)
        // An import would store words without the library that no search finds once the library is there.
        #expect(throws: ClientError.self) { try anna.call("addressBook.import", ["path": .string(card)]) }
        #expect(try anna.call("addressBook.list", [:])["total"] == 0)
        try anna.stop()
    }
}
