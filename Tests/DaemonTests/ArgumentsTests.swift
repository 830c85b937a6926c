import Arguments
import Basics
import Foundation
import Messaging
import Network
import Store
import Testing

@testable import Control
@testable import Daemon

@Suite("Command line and configuration of kibod")
struct DaemonArgumentsTests {
    @Test("Every option of the contract is understood, with its value as the next word or behind an equals sign")
    func all() throws {
        let arguments = try DaemonArguments([
            "--data", "/d", "--socket=/s", "--config", "/c", "--listen", "127.0.0.1:5", "--discovery-port=7",
            "--interface", "lo", "--interface", "eth0", "--peer", "nas.local:9", "--peer=[::1]:10", "--no-discovery",
            "--log-level", "debug", "--log-format=json", "--realm-key-file", "/r",
        ])
        #expect(arguments.dataDirectory == "/d")
        #expect(arguments.socketPath == "/s")
        #expect(arguments.configurationFile == "/c")
        #expect(arguments.settings.listen == ListenPlace("127.0.0.1:5"))
        #expect(arguments.settings.discoveryPort == 7)
        #expect(arguments.settings.interfaces == ["lo", "eth0"])
        #expect(arguments.settings.peers?.map(\.description) == ["nas.local:9", "[::1]:10"])
        #expect(arguments.settings.discovery == false)
        #expect(arguments.settings.logLevel == .debug)
        #expect(arguments.settings.logFormat == .json)
        #expect(arguments.settings.realmKeyFile == "/r" && arguments.newRealmKey == nil)
        #expect(try DaemonArguments(["--make-realm-key", "/n"]).newRealmKey == "/n")
    }

    @Test(
        "Options that can't be understood are refused in words that name them",
        arguments: [
            ["--colour"], ["--data"], ["--listen", "nowhere"], ["--discovery-port", "0"],
            ["--discovery-port", "70000"],
            ["--peer", "a b:1"], ["--peer", "host"], ["--log-level", "loud"], ["extra"],
        ])
    func refused(_ words: [String]) throws {
        let error = try #require(throws: ArgumentParser.Problem.self) { try DaemonArguments(words) }
        #expect(error.message.contains(words[0]))
    }

    @Test("The configuration file is JSON5; the command line goes before it; a misspelt key is an error")
    func file() throws {
        let text = """
            {
              // where peers connect
              listen: "0.0.0.0:4000",
              peers: ["10.0.0.1:15426",],
              logLevel: "debug",
              realmKeyFile: "/etc/realm",
            }
            """
        let file = try ConfigurationLayer(json5: Array(text.utf8), file: "f")
        #expect(file.listen == ListenPlace("0.0.0.0:4000"))
        let line = try DaemonArguments(["--listen", "127.0.0.1:1"]).settings
        #expect(line.over(file).listen == ListenPlace("127.0.0.1:1"))
        #expect(line.over(file).logLevel == .debug && line.over(file).realmKeyFile == "/etc/realm")
        for bad in ["{lisen: 1}", "{listen: 5}", "{listen: \"x\"}", "[", "{peers: [\"x\"]}"] {
            #expect(throws: ConfigurationError.self) { try ConfigurationLayer(json5: Array(bad.utf8), file: "f") }
        }
        for (bad, key) in [
            ("{interfaces: []}", "interfaces"), ("{discoveryPort: 0}", "discoveryPort"),
            ("{discoveryPort: 70000}", "discoveryPort"), ("{peers: [\"10.0.0.1\"]}", "ADDRESS:PORT"),
        ] {
            do {
                _ = try ConfigurationLayer(json5: Array(bad.utf8), file: "f")
                Issue.record("\(bad) is taken")
            } catch { #expect(error.message.contains(key), "\(error.message)") }
        }
    }

    @Test("Whatever people write in such a file means what it says in JSON5")
    func notations() throws {
        let text = """
            \u{FEFF}/* two floors,
             * one network card of several */
            {
              'listen': '0.0.0.0:4000', // "quoted" and 'quoted'
              "interfaces": ["eth0", 'wlan//0', "a/*b*/c",],
              discoveryPort : /* the usual */ 15426,
              realmKeyFile: 'it\\'s "here" \\u00e4\\n',
              logFormat: null,
              discovery: false,
              peers: [
                '[::1]:9' // the last
                , /* a comma of its own */
              ],
            } // the end
            """
        let file = try ConfigurationLayer(json5: Array(text.utf8), file: "f")
        #expect(file.listen == ListenPlace("0.0.0.0:4000"))
        #expect(file.interfaces == ["eth0", "wlan//0", "a/*b*/c"])
        #expect(file.discoveryPort == 15426 && file.discovery == false && file.logFormat == nil)
        #expect(file.realmKeyFile == "it's \"here\" ä\n")
        #expect(file.peers?.map(\.description) == ["[::1]:9"])
        #expect(try ConfigurationLayer(json5: Array("{}".utf8), file: "f") == ConfigurationLayer())
        #expect(
            try ConfigurationLayer(json5: Array("{realmKeyFile: 'a\\\nb',\r\n}".utf8), file: "f").realmKeyFile == "ab")
    }

    @Test(
        "What is no JSON5 stays none",
        arguments: [
            "", "{,}", "{listen: null,,}", "[1]", "{peers: [,]}", "{peers: [\"10.0.0.1:1\",,]}", "{listen: debug}",
            "{listen}", "{a b: 1}", "{logLevel: 'info}", "{logLevel: 'info\n'}", "{} /* no end", "{} }",
            "{logLevel: info}",
            "{discovery: tr/**/ue}", "{discovery: true false}", "{discovery: true} {}", "{'logLevel' 'info'}",
            "{1a: 1}",
            "{discovery: /true}", "{discoveryPort: 15426", "{discovery: 'true'}",
            "{\"discovery\": true, discovery: true}",
        ])
    func invalid(_ text: String) {
        #expect(throws: ConfigurationError.self) { try ConfigurationLayer(json5: Array(text.utf8), file: "f") }
    }

    @Test("The line of a mistake is named, behind comments of several lines too")
    func line() {
        let text = "/* one\n two */ {\n  discovery: true,\n  logLevel: \"info\" logFormat: \"text\"\n}"
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationLayer(json5: Array(text.utf8), file: "f")
        }
        #expect(error?.message.hasPrefix("f:4:28: not valid JSON5") == true, "\(error?.message ?? "")")
    }

    @Test(
        "A mistake is shown with line, column and what is expected",
        arguments: [
            ("{\n  lisen: 1 }", "f:2:3: lisen: there is no such name"),
            ("{ listen: 5 }", "f:1:3: listen: an address, such as"),
            ("{ /* a\n b */ 'listen': \"x\" }", "f:2:7: listen: \"x\" is not an address"),
            ("{\n\tlogLevel: 'loud'}", "f:2:2: logLevel: one of trace"),
            ("{ settings: 5 }", "f:1:3: settings: an object such as"),
            ("{ settings: {\n 'messages.colour': 1 } }", "f:2:2: messages.colour: there is no such setting"),
            (
                "{ forced: {\n  \"messages.keepDays\": \"soon\" } }",
                "f:2:3: messages.keepDays: messages.keepDays must be"
            ),
            (
                "{ settings: {'presence.typing': true}, forced: {'presence.typing': false} }",
                "f:1:49: presence.typing: it stands"
            ),
            (
                "{ interfaces: [\"eth7\"] }",
                "f:1:3: interfaces: there is no network interface eth7 here; there are eth0, lo"
            ),
            ("[]", "f:1:1: an object is expected"), ("{ listen:", "f:1:9: not valid JSON5"),
            ("{ a b }", "f:1:5: not valid JSON5"),
        ])
    func mistakes(_ text: String, _ expected: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationLayer(json5: Array(text.utf8), file: "f", existing: ["lo", "eth0"])
        }
        #expect(error?.message.hasPrefix(expected) == true, "\(error?.message ?? "")")
    }

    @Test("Defaults and forced values of settings are read and checked")
    func settings() throws {
        let text = "{ settings: { 'messages.keepDays': 30 }, forced: { 'files.allowedTypes': ['pdf'], } }"
        let file = try ConfigurationLayer(json5: Array(text.utf8), file: "f")
        #expect(
            file.hostSettings == [
                HostSettingRow(name: "messages.keepDays", value: "30", isForced: false),
                HostSettingRow(name: "files.allowedTypes", value: "[\"pdf\"]", isForced: true),
            ])
        #expect(try DaemonArguments(["--check"]).checks)
    }

    @Test(
        "The user's file goes before the host's, but what the host forces stays; the host's port is the first of many"
    )
    func layers() throws {
        func layer(_ text: String) throws -> ConfigurationLayer {
            try ConfigurationLayer(json5: Array(text.utf8), file: "f")
        }
        let host = try layer(
            """
            { listen: "192.0.2.7:4000", logLevel: "warning", interfaces: ["eth0"],
              settings: { "messages.keepDays": 30, "presence.typing": false },
              forced: { "files.allowedTypes": ["pdf"], "files.maxSendBytes": 1000 } }
            """
        ).forAllUsers
        let own = try layer(
            """
            { logLevel: "debug", settings: { "messages.keepDays": 7, "files.allowedTypes": ["*"] },
              forced: { "files.maxSendBytes": 9, "presence.typing": true } }
            """)
        let both = own.over(host)
        #expect(both.listen == SocketAddress("192.0.2.7:4000").map { .from($0) })
        #expect(both.logLevel == .debug && both.interfaces == ["eth0"])
        let rows = Dictionary(uniqueKeysWithValues: both.hostSettings.map { ($0.name, [$0.value, "\($0.isForced)"]) })
        #expect(
            rows == [
                "messages.keepDays": ["7", "false"], "files.allowedTypes": ["[\"pdf\"]", "true"],
                "files.maxSendBytes": ["1000", "true"], "presence.typing": ["true", "true"],
            ])
        // Without a file of the user's own the host's values are all there.
        #expect(ConfigurationLayer().over(host) == host)
        #expect(try layer("{ listen: '127.0.0.1:0' }").forAllUsers.listen == ListenPlace("127.0.0.1:0"))
        #expect(try layer("{ listen: '192.0.2.7' }").listen == SocketAddress("192.0.2.7:15426").map { .from($0) })
    }

    @Test("No bytes make the reader of the file fail otherwise than with an error")
    func noise() {
        var random = SeededGenerator(seed: 5)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "'", "\"", "\\", "/", "*", "\n", " ", "a", "1", "\u{E4}", "//", "/*", "*/",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            _ = try? ConfigurationLayer(json5: Array(text.joined().utf8), file: "f")
        }
        for byte in UInt8.min...UInt8.max { _ = try? ConfigurationLayer(json5: [0x7B, byte, 0x7D], file: "f") }
    }

    @Test("A contact link is read with all that is known about it; a damaged one is refused")
    func link() throws {
        let id = AccountID(try #require(Key32([UInt8](repeating: 7, count: 32))))
        let link = try ContactLink("kibo:\(id)?name=Anna%20B&addr=192.0.2.1:5&colour=red&addr=nonsense")
        #expect(link.account == id)
        #expect(link.name == "Anna B")
        #expect(link.addresses == [SocketAddress("192.0.2.1:5")])
        #expect(try ContactLink("kibo:\(id)").addresses.isEmpty)
        // A name that would deceive is left out instead of being shown.
        #expect(try ContactLink("kibo:\(id)?name=%E2%80%AEevil").name == nil)
        for bad in ["http://x", "kibo:", "kibo:kibo1abc", "kibo:\(id.description.dropLast())q"] {
            #expect(throws: ContactLink.Invalid.self) { try ContactLink(bad) }
        }
    }

    @Test("Kinds and media types are told by the extension, whatever its case")
    func mediaTypes() {
        #expect(MediaType(ofName: "a.PDF").kind == .document)
        #expect(MediaType(ofName: "a.jpeg").name == "image/jpeg")
        #expect(MediaType(ofName: "a.tar.gz").kind == .other)
        #expect(MediaType(ofName: "pdf").name == "application/octet-stream")
    }

    @Test("The manual page has each option, and dashes that can be copied")
    func manual() {
        for option in ["listen", "realm\\-key\\-file", "peer", "manual"] {
            #expect(DaemonArguments.manual.contains("\n\\fB\\-\\-\(option)"), "\(option)")
        }
    }

    @Test("The handbook lists every key of the configuration file")
    func handbook() throws {
        let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/HANDBOOK.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for key in ConfigurationLayer.known { #expect(text.contains("| `\(key)` | "), "\(key)") }
    }
}
