import ControlProtocol
import Testing

@testable import GuestService

/// Goal: the doctor says of LocalSend what keeps devices away, with what to do about it, and nothing that only seems so.
@Suite("What the doctor says of LocalSend")
struct BridgeFindingsTests {
    private static let open = DoctorCheck(name: "firewall", ok: true, findings: [.init(.nftablesOpen)])
    private static let closed = DoctorCheck(
        name: "firewall", ok: false, findings: [.init(.nftablesKeepsOut, ["chains": ["inet filter input"]])],
        advice: [.init(.openPortsInNftables, ["commands": "sudo nft …"])])
    private static let unreadable = DoctorCheck(
        name: "firewall", ok: false, findings: [.init(.ufwUnreadable)],
        advice: [.init(.openPorts, ["commands": "sudo ufw allow \"Kibo LocalSend\""])])

    private func check(
        firewall: DoctorCheck = open, _ change: (inout BridgeFindings) -> Void = { _ in }
    ) -> DoctorCheck {
        var found = BridgeFindings(name: "Anna’s Kibo", port: 53_317, firewall: firewall)
        change(&found)
        let check = found.check
        #expect(check.name == "localsend")
        #expect(
            check.findings.first == .init(.localsendOn, ["name": "Anna’s Kibo", "port": .integer(Int64(found.port))]))
        return check
    }

    private func codes(_ check: DoctorCheck) -> [DoctorFinding?] { check.findings.dropFirst().map(\.code) }
    private func advice(_ check: DoctorCheck) -> [DoctorAdvice?] { check.advice.map(\.code) }

    @Test("All is well: the announcements come back, and the firewall is named")
    func well() {
        let check = check()
        #expect(check.ok && codes(check) == [.localsendHeard, .nftablesOpen] && check.advice.isEmpty)
        #expect(check.findings[1].parameters == ["port": 53_317])
    }

    @Test("A firewall that closes the ports: its own advice, and no other beside it, also if nothing comes back")
    func closed() {
        for silent in [[], ["eth0"]] {
            let check = check(firewall: Self.closed) { $0.silent = silent }
            #expect(!check.ok && check.advice == Self.closed.advice)
            #expect(codes(check) == [silent.isEmpty ? .localsendHeard : .localsendUnheard, .nftablesKeepsOut])
        }
    }

    @Test("A device that has just connected shows that the ports are open, but not that announcements come in")
    func reached() {
        let reached = check(firewall: Self.closed) { $0.isReached = true }
        #expect(reached.ok && reached.advice.isEmpty)
        #expect(codes(reached) == [.localsendHeard, .nftablesKeepsOut, .localsendReached])
        let half = check(firewall: Self.closed) { ($0.isReached, $0.silent) = (true, ["wlan0"]) }
        #expect(!half.ok && half.advice == Self.closed.advice)
    }

    @Test("ufw's rules that can't be read: what comes back shows that our profile is let in; otherwise it is advised")
    func unreadable() {
        let heard = check(firewall: Self.unreadable)
        #expect(heard.ok && heard.advice.isEmpty && codes(heard) == [.localsendHeard, .ufwUnreadable])
        let other = check(firewall: Self.unreadable) { $0.port = 53_318 }
        #expect(
            !other.ok && advice(other) == [.freeLocalsendPort, .openPorts],
            "a rule for the app's port is no rule for ours")
        let unheard = check(firewall: Self.unreadable) { $0.silent = ["eth0"] }
        #expect(!unheard.ok && unheard.advice == Self.unreadable.advice)
    }

    @Test("Interfaces on which nothing comes back are named, with advice where the firewall seems open")
    func unheard() {
        let check = check { $0.silent = ["eth0", "wlan0"] }
        #expect(!check.ok && advice(check) == [.letLocalsendThrough])
        #expect(check.findings[1] == .init(.localsendUnheard, ["interfaces": ["eth0", "wlan0"]]))
    }

    @Test("Interfaces without multicast are named, and no firewall is blamed for them; a scan finds the devices there")
    func unjoined() {
        let some = check { $0.unjoined = ["eth1"] }
        #expect(!some.ok && codes(some) == [.localsendUnjoined, .nftablesOpen] && advice(some) == [.scanForDevices])
        #expect(some.findings[1] == .init(.localsendUnjoined, ["interfaces": ["eth1"]]))
        let all = check { ($0.hasDatagrams, $0.isAlone, $0.unjoined) = (false, true, ["eth0", "eth1"]) }
        #expect(codes(all) == [.localsendUnjoined, .nftablesOpen, .localsendAlone])
        #expect(advice(all) == [.scanForDevices], "the port is free, and the advice is said once")
        let reached = check(firewall: Self.closed) {
            ($0.hasDatagrams, $0.isReached, $0.unjoined) = (false, true, ["eth0"])
        }
        #expect(advice(reached) == [.scanForDevices], "a device came in, so the port is open")
        let shut = check(firewall: Self.closed) { ($0.hasDatagrams, $0.unjoined) = (false, ["eth0"]) }
        #expect(shut.advice == Self.closed.advice + [.init(.scanForDevices)])
        let both = check { ($0.silent, $0.unjoined) = (["eth0"], ["eth1"]) }
        #expect(codes(both) == [.localsendUnjoined, .localsendUnheard, .nftablesOpen])
        #expect(advice(both) == [.letLocalsendThrough, .scanForDevices])
    }

    @Test("Without a socket for datagrams no device finds this host by itself")
    func deaf() {
        let check = check { ($0.hasDatagrams, $0.silent) = (false, ["eth0"]) }
        #expect(!check.ok && codes(check) == [.localsendDeaf, .nftablesOpen] && advice(check) == [.freeLocalsendPort])
        let both = self.check { ($0.hasDatagrams, $0.port) = (false, 53_318) }
        #expect(codes(both) == [.localsendPortTaken, .localsendDeaf, .nftablesOpen])
        #expect(advice(both) == [.freeLocalsendPort], "the advice is said once")
    }

    @Test("Another port than the usual one, and no encryption, are said with what to do; neither is a fault")
    func unusual() {
        let taken = check { $0.port = 53_318 }
        #expect(taken.ok && codes(taken) == [.localsendPortTaken, .localsendHeard, .nftablesOpen])
        #expect(taken.advice == [.init(.freeLocalsendPort, ["port": 53_317])])
        let plain = check { $0.isPlain = true }
        #expect(plain.ok && codes(plain).first == .localsendPlain && advice(plain) == [.encryptLocalsend])
    }

    @Test("No device near: what else to try is said once this host is in order")
    func alone() {
        let alone = check { $0.isAlone = true }
        #expect(alone.ok && codes(alone).last == .localsendAlone && advice(alone) == [.scanForDevices])
        let ill = check(firewall: Self.closed) { ($0.isAlone, $0.silent) = (true, ["eth0"]) }
        #expect(!ill.ok && codes(ill).last == .localsendAlone && ill.advice == Self.closed.advice)
        let deaf = check { ($0.isAlone, $0.hasDatagrams) = (true, false) }
        #expect(advice(deaf) == [.freeLocalsendPort, .scanForDevices], "only a scan helps there")
    }
}
