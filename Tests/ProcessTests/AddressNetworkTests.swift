import ControlProtocol
import TestSupport
import Testing

/// Hosts with the addresses that scripts, containers and routers give them, without IPv6. This needs root.
@Suite(
    "Hosts with unusual addresses", .serialized,
    .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
struct AddressNetworkTests {
    struct Addresses: CustomStringConvertible {
        let what: String
        let anna: String
        let bert: String
        var mtu: Int?
        var description: String { what }

        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    }

    private func pair(_ addresses: Addresses) throws -> [DaemonProcess] {
        let network = try TestNetwork(hosts: 2)
        for (host, text) in zip(network.hosts, [addresses.anna, addresses.bert]) {
            try network.setAddress(of: host, words: addresses.words(text), mtu: addresses.mtu)
        }
        networks.append(network)
        return try zip(["Anna", "Bert"], network.hosts).map { name, host in
            var options = DaemonProcess.Options(discoveryPort: 15426)
            options.namespace = host
            return try DaemonProcess.launch(name: name, options: options)
        }
    }

    private let networks = Networks()
    private final class Networks {
        private var all: [TestNetwork] = []
        func append(_ network: TestNetwork) { all.append(network) }
    }

    private func interfaces(_ daemon: DaemonProcess) throws -> DoctorCheck {
        let checks = try daemon.client.call("system.doctor", [:], timeout: .seconds(90))["checks"]?.array ?? []
        return try #require(try checks.map { try DoctorCheck(json: $0) }.first { $0.name == "interfaces" })
    }

    @Test(
        "They find each other, talk, and their doctors are content",
        arguments: [
            Addresses(what: "no broadcast address", anna: "10.9.2.1/24", bert: "10.9.2.2/24"),
            Addresses(what: "unequal masks", anna: "10.9.2.1/24 broadcast +", bert: "10.9.2.2/16 broadcast +"),
            Addresses(what: "a wrong broadcast address", anna: "10.9.2.1/24 broadcast 10.9.2.0", bert: "10.9.2.2/24"),
            Addresses(what: "a subnet of two", anna: "10.9.2.0/31", bert: "10.9.2.1/31"),
            Addresses(what: "a peer each", anna: "10.9.2.1 peer 10.9.2.2", bert: "10.9.2.2 peer 10.9.2.1"),
            Addresses(what: "small packets", anna: "10.9.2.1/24", bert: "10.9.2.2/24", mtu: 576),
        ])
    func found(addresses: Addresses) throws {
        let daemons = try pair(addresses)
        let (anna, bert) = (daemons[0], daemons[1])
        try anna.befriend(bert)
        let sent = try MessageProcessTests.send("here", from: anna, to: bert.account.id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        for daemon in daemons {
            let check = try interfaces(daemon)
            #expect(check.ok, "\(daemon.name): \(check.findings)")
        }
    }

    @Test("Hosts of two subnets on one cable can't meet, and both doctors say why")
    func otherSubnet() throws {
        let daemons = try pair(Addresses(what: "", anna: "10.9.2.1/24", bert: "10.9.3.1/24"))
        for (daemon, other) in zip(daemons, ["10.9.3.1", "10.9.2.1"]) {
            let check = try Patience.until("the doctor to hear of the other subnet", report: daemon.logTail) {
                let check = try interfaces(daemon)
                return check.ok ? nil : check
            }
            #expect(check.about(.otherSubnet) == ["addresses": [.string(other)]], "\(check.findings)")
            #expect(check.advises(.setMask))
            #expect(try daemon.peers.isEmpty)
        }
    }

    @Test("An address whose mask leaves no room for others is told")
    func alone() throws {
        let daemons = try pair(Addresses(what: "", anna: "10.9.2.1/32", bert: "10.9.2.2/24"))
        let check = try interfaces(daemons[0])
        #expect(!check.ok && check.advises(.setMask), "\(check.findings)")
        #expect(check.about(.alone) == ["name": "eth0", "address": "10.9.2.1/32"])
    }
}
