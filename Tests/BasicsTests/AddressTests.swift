import Basics
import Testing

@Suite("Addresses") struct AddressTests {
    @Test("addresses with a port are read and written in one form")
    func valid() throws {
        let pairs = [
            ("127.0.0.1:0", "127.0.0.1:0"), ("192.0.2.1:65535", "192.0.2.1:65535"), ("[::1]:80", "[::1]:80"),
            ("[2001:DB8:0:0::1]:5", "[2001:db8::1]:5"), ("[fe80::1%7]:9", "[fe80::1%7]:9"), ("[::]:1", "[::]:1"),
            // An IPv4 peer on a socket that serves IPv4 and IPv6.
            ("[::ffff:192.0.2.1]:5", "192.0.2.1:5"),
        ]
        for (text, expected) in pairs {
            let address = try #require(SocketAddress(text), "\(text)")
            #expect(address.description == expected)
            #expect(SocketAddress(expected) == address)
        }
        #expect(SocketAddress("127.0.0.1:258") == SocketAddress(.v4(0x7F00_0001), port: 258))
        #expect(SocketAddress("[::2]:1") == SocketAddress(.v6(high: 0, low: 2, scope: 0), port: 1))
    }

    @Test("names, missing or wrong ports, signs, spaces and hidden characters are refused")
    func invalid() {
        for text in [
            "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-0",
            "127.0.0.1: 80",
            "127.0.0.1:80 ", "127.0.0.1:٨٠", "localhost:80", "127.1:80", "0127.0.0.1:80", "256.0.0.1:80", "::1:80",
            "::1",
            "[::1]", "[127.0.0.1]:80", "[[::1]]:80", "[::1:80", "::1]:80", "[]:80", "[fe80::1%]:80", "[fe80::1%0]:80",
            "[fe80::1%+1]:80", "[fe80::1%no-such-interface]:80", "[fe80::1%4294967296]:80", "127.0.0.1\u{0}.example:80",
            "[::1\u{0}%1]:80",
        ] { #expect(SocketAddress(text) == nil, "\(text.debugDescription)") }
    }

    @Test("the loopback addresses of both families are known")
    func loopback() {
        let addresses = ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"].map { IPAddress($0)?.isLoopback }
        #expect(addresses == [true, true, true, true])
        #expect(
            ["128.0.0.1", "::2", "fe80::1", "0.0.0.0"].map { IPAddress($0)?.isLoopback } == [
                false, false, false, false,
            ])
        #expect(IPAddress("127.0.0.1") == .loopback && IPAddress("0.0.0.0") == .any)
    }

    @Test("an IPv6 address belongs to its /64 on its link; an IPv4 address, mapped or not, is a network by itself")
    func networks() throws {
        func network(_ text: String) throws -> IPAddress { try #require(IPAddress(text)).network }
        #expect(try network("2001:db8:1:2:ffff::5") == network("2001:db8:1:2::9"))
        #expect(try network("2001:db8:1:2::9").description == "2001:db8:1:2::")
        #expect(try network("2001:db8:1:3::9") != network("2001:db8:1:2::9"))
        #expect(try network("fe80::1%7") == network("fe80::ffff:1%7"))
        #expect(try network("fe80::1%7") != network("fe80::1%8"))
        #expect(try network("192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(try network("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        let linkLocal = ["fe80::1", "fe80::1%7", "febf:ffff::1", "fec0::1", "2001:db8::1", "169.254.0.1"].map {
            IPAddress($0)?.isLinkLocal
        }
        #expect(linkLocal == [true, true, true, false, false, false])
    }

    @Test("an interface's name is read as its index")
    func scope() throws {
        guard case .v6(_, _, let scope)? = IPAddress("fe80::1%lo") else {
            Issue.record("lo has no index")
            return
        }
        #expect(scope > 0 && IPAddress("fe80::1%\(scope)") == IPAddress("fe80::1%lo"))
        #expect(IPAddress("fe80::1%\(scope)")?.description == "fe80::1%lo")
        let none = UInt32(Int32.max)
        #expect(IPAddress("fe80::1%\(none)")?.description == "fe80::1%\(none)")
    }
}
