import Basics
import Testing

@testable import LocalSend

/// Goal: a scan asks those who can be there, and never more than the neighbours of one host.
@Suite("The hosts with which LocalSend is spoken")
struct NeighbourhoodTests {
    private func neighbourhood(_ networks: (String, Int)...) throws -> Neighbourhood {
        Neighbourhood(
            try networks.enumerated().map { index, network in
                BridgeOrder.Link(
                    index: UInt32(index + 1), address: try #require(IPAddress(network.0)), prefix: network.1)
            })
    }

    @Test(
        "The addresses around a host, without its own, its network's and the one for all",
        arguments: [
            ("192.168.1.7", 24, 253, "192.168.1.1", "192.168.1.254"), ("10.1.2.3", 8, 253, "10.1.2.1", "10.1.2.254"),
            ("10.1.2.0", 16, 254, "10.1.2.1", "10.1.2.254"),
            ("192.168.1.130", 25, 125, "192.168.1.129", "192.168.1.254"),
            ("192.168.1.9", 29, 5, "192.168.1.10", "192.168.1.14"),
            ("192.168.1.2", 30, 1, "192.168.1.1", "192.168.1.1"),
            ("192.168.1.3", 31, 1, "192.168.1.2", "192.168.1.2"),
            ("255.255.255.254", 24, 253, "255.255.255.1", "255.255.255.253"),
        ])
    func around(_ own: String, _ prefix: Int, _ count: Int, _ first: String, _ last: String) throws {
        let asked = try neighbourhood((own, prefix)).scanned
        #expect(asked.count == count && Set(asked).count == count)
        #expect(asked.first?.description == first && asked.last?.description == last)
        #expect(!asked.contains(try #require(IPAddress(own))))
    }

    @Test("Networks of one host have no neighbours, and two networks are asked one after the other, each address once")
    func several() throws {
        for prefix in [32, 33, -1] { #expect(try neighbourhood(("192.168.1.7", prefix)).scanned.isEmpty) }
        let two = try neighbourhood(("192.168.1.7", 24), ("10.0.0.5", 30), ("192.168.1.8", 24)).scanned
        #expect(two.count == 252 + 1 && Set(two).count == two.count)
        #expect(two.last?.description == "10.0.0.6")
        let many = try neighbourhood(
            ("10.0.1.1", 24), ("10.0.2.1", 24), ("10.0.3.1", 24), ("10.0.4.1", 24), ("10.0.5.1", 24))
        #expect(many.scanned.count == LocalSendLimits.scanned)
    }
}
