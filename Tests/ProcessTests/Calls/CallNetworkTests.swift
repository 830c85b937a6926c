import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: a window whose host has another address learns it at once, and reaches the other window from there. This needs root.
@Suite(
    "Calls between two hosts", .serialized,
    .enabled(if: TestNetwork.unavailable == nil, "\(TestNetwork.unavailable ?? "")"))
struct CallNetworkTests {
    @Test("An address changes in a call: the window is told, and what it names then comes to the other side")
    func otherAddress() throws {
        let network = try TestNetwork(hosts: 2)
        // There is no IPv6, because the session might use it and never notice.
        for host in network.hosts { try network.flushSix(host) }
        let daemons = try zip(["Anna", "Bert"], network.hosts).map { name, host in
            var options = DaemonProcess.Options(discoveryPort: 15426)
            options.namespace = host
            return try DaemonProcess.launch(name: name, options: options)
        }
        try daemons[0].befriend(daemons[1])
        let scene = try CallScene(daemons[0], daemons[1])
        let id = try scene.talk()
        let before = try #require(try scene.anna.open(id)).moves
        let theirs = try #require(try scene.bert.open(id)).moves
        try network.setAddress(of: network.hosts[0], "10.73.0.77")
        let moved = SystemClocks().now
        var told: Call?
        while told == nil, let event = try scene.anna.events.nextEvent(timeout: Patience.usual) {
            guard event.isOf(.callChanged) else { continue }
            let call = try Call(json: event.data)
            if call.id == id, call.moves > before { told = call }
        }
        // A change is looked at a fourth of a second after its first word.
        #expect(told?.state == .active && SystemClocks().now - moved < .seconds(2))
        // The session from the old address is gone by now, and the next one may not be there yet.
        let lines = ["10.73.0.1", "10.73.0.77"].map { "candidate:1 1 udp 5 \($0) 40000 typ host" }
        try scene.anna.signal(id, "restart")
        try scene.anna.signal(id, "candidates", candidates: lines)
        try Patience.until("both signals", report: scene.anna.daemon.logTail + scene.bert.daemon.logTail) {
            try scene.bert.signals(id).count == 2
        }
        let signals = try scene.bert.signals(id)
        #expect(signals.map(\.kind) == [.restart, .candidates])
        // The address of before is no address of Anna's host any more.
        #expect(signals.last?.candidates == [lines[1]])
        #expect(try scene.bert.open(id)?.moves == theirs)
        _ = try scene.bert.call("call.hangup", id)
        try scene.anna.waitForEnd(id)
        try scene.expect(id, .answered, isMissed: false)
    }
}
