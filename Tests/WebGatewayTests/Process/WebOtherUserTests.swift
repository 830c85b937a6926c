import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

@Suite("Other users of the host", .serialized, .enabled(if: geteuid() == 0))
struct WebOtherUserTests {
    /// Sends a request from a program of that user: what it reads.
    private func ask(
        _ stage: GatewayStage, as user: Int, address: String = "127.0.0.1", request: String? = nil
    ) throws -> String {
        let directory = try TemporaryDirectory()
        let request = (request ?? stage.text("GET", "/", site: "none", more: "Connection: close\r\n")).replacing(
            "\r\n", with: "\\r\\n")
        let script = "exec 3<>/dev/tcp/\(address)/\(stage.port); printf '\(request)' >&3; timeout 5 cat <&3"
        let child = try ChildProcess(
            "/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/bin/bash", "-c", script],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("out"))
        _ = child.wait(.seconds(20))
        return (try? TextFile.text(directory.file("out"))) ?? ""
    }

    @Test("Another user's connection ends without a byte, on both loopbacks; our own is answered")
    func refused() throws {
        let stage = try GatewayStage(account: false)
        for address in ["127.0.0.1", "::1"] {
            #expect(try ask(stage, as: 0, address: address).contains("200 OK"), "\(address)")
            #expect(try ask(stage, as: 65_534, address: address).contains("HTTP/1.1") == false, "\(address)")
        }
    }

    @Test("Another user who reads a browser's command line gets nowhere by the address in it")
    func ticket() throws {
        let stage = try GatewayStage(account: false)
        let link = try #require(try stage.door("web.open")["link"]?.string)
        let ticket = try #require(link.split(separator: "/").last)
        let fields = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nConnection: close\r\n"
        let request = stage.text("GET", "/go/\(ticket)", site: "none", more: fields)
            .replacing(stage.host, with: "127.0.0.1:\(stage.port)")
        #expect(try !ask(stage, as: 65_534, request: request).contains("HTTP/1.1"))
        // It was not used up.
        #expect(try ask(stage, as: 0, request: request).contains("#t="))
    }

    @Test("Both loopbacks are held or neither, so that no other program is asked first")
    func both() throws {
        let (four, six) = (try RawListener(), try #require(SixListener()))
        for taken in [four.port, six.port] {
            let stage = try GatewayStage(account: false, address: "kibo-abcdefghijkl \(taken)\n")
            // Under another name: what browsers know of the old one is sent to whoever has the port.
            #expect(!stage.host.hasPrefix("kibo-abcdefghijkl.") && stage.port != taken)
            #expect((try? RawListener(port: stage.port)) == nil && SixListener(port: stage.port) == nil)
        }
        withExtendedLifetime((four, six)) {}
    }
}

/// A listening TCP port on ::1.
private final class SixListener {
    private let descriptor: CInt
    let port: UInt16

    /// Nil if another socket has it.
    init?(port wanted: UInt16 = 0) {
        descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), wanted.bigEndian)
        address.sin6_addr = in6addr_loopback
        let number = descriptor
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && listen(number, 16) == 0 ? getsockname(number, $0, &length) : -1
            }
        }
        port = UInt16(bigEndian: address.sin6_port)
        if code != 0 { return nil }
    }

    deinit { close(descriptor) }
}
