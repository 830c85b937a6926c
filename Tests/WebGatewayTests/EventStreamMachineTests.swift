import ControlProtocol
import Testing

@testable import WebGateway

@Suite("A stream of events to a browser")
struct EventStreamMachineTests {
    private func text(_ machine: inout EventStreamMachine) -> String {
        String(decoding: machine.drain(.max, hasLine: true).bytes, as: UTF8.self)
    }

    private func answer(_ subscription: Int64, next: Int64, epoch: String = "e1") -> JSONValue {
        ["subscription": .integer(subscription), "next": .integer(next), "oldest": 1, "epoch": .string(epoch)]
    }

    private func event(_ seq: Int64?, type: String = "message.added", subscription: Int64 = 1) -> JSONObject {
        [
            "subscription": .integer(subscription), "seq": .optional(seq), "at": 5, "type": .string(type),
            "change": "insert", "data": ["id": "x"],
        ]
    }

    @Test("A fresh stream subscribes, says that it is ready, and hands events on")
    func fresh() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        #expect(machine.lineIsUp() == [.subscribe([:])])
        #expect(machine.lineIsUp() == [])
        #expect(machine.subscribed(answer(1, next: 10)) == [])
        #expect(text(&machine) == "event: ready\ndata: {\"next\":10,\"oldest\":1,\"epoch\":\"e1\"}\n\n")
        #expect(machine.heard(event(10)) == [])
        let data = "{\"seq\":10,\"at\":5,\"type\":\"message.added\",\"change\":\"insert\",\"data\":{\"id\":\"x\"}}"
        #expect(text(&machine) == "id: 10.e1\ndata: \(data)\n\n")
        #expect(machine.heard(event(nil, type: "typing.changed")) == [])
        #expect((text(&machine) as String).hasPrefix("data: {\"seq\":null,"))
    }

    @Test("A page that shows notifications is told of to the daemon, each time anew")
    func notifies() {
        var machine = EventStreamMachine(since: nil, epoch: nil, notifies: true)
        #expect(machine.lineIsUp() == [.subscribe(["notifies": true])])
        _ = machine.subscribed(answer(1, next: 10))
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 9, "epoch": "e1", "notifies": true])])
    }

    @Test("When the daemon is gone the browser hears it once, and afterwards the stream goes on where it was")
    func away() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        _ = machine.lineIsUp()
        _ = machine.subscribed(answer(1, next: 10))
        _ = machine.heard(event(12))
        _ = text(&machine)
        machine.lineIsDown()
        machine.lineIsDown()
        #expect(text(&machine) == "event: away\ndata: {}\n\n")
        #expect(machine.heard(event(13)) == [])
        #expect(machine.lineIsUp() == [.subscribe(["since": 12, "epoch": "e1"])])
        _ = machine.subscribed(answer(4, next: 20, epoch: "e2"))
        // Before an event has come, the place is still that of the earlier log.
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 12, "epoch": "e1"])])
        _ = machine.subscribed(answer(5, next: 20, epoch: "e2"))
        _ = machine.heard(event(13, subscription: 5))
        #expect((text(&machine) as String).contains("id: 13.e2\n"))
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 13, "epoch": "e2"])])
    }

    @Test("A fresh stream that loses its line before an event came goes on from its beginning")
    func beginning() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        _ = machine.lineIsUp()
        _ = machine.subscribed(answer(1, next: 10))
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 9, "epoch": "e1"])])
    }

    @Test("A gap is told under its own name, and what comes next is of the present log")
    func gap() {
        var machine = EventStreamMachine(since: 500, epoch: "old")
        #expect(machine.lineIsUp() == [.subscribe(["since": 500, "epoch": "old"])])
        _ = machine.subscribed(answer(1, next: 10))
        _ = text(&machine)
        var gap = event(nil, type: "gap")
        gap["data"] = ["from": 501, "to": 600]
        #expect(machine.heard(gap) == [])
        #expect(text(&machine) == "event: gap\ndata: {\"from\":501,\"to\":600}\n\n")
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 9, "epoch": "e1"])])
        _ = machine.subscribed(answer(2, next: 12))
        _ = machine.heard(event(15))
        gap["data"] = ["from": 16, "to": 20]
        _ = machine.heard(gap)
        machine.lineIsDown()
        #expect(machine.lineIsUp() == [.subscribe(["since": 20, "epoch": "e1"])])
    }

    @Test("A stream that is not read rests at a mebibyte, and goes on with what it missed once it has drained")
    func slow() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        _ = machine.lineIsUp()
        _ = machine.subscribed(answer(1, next: 1))
        var big = event(1)
        big["data"] = .string(String(repeating: "x", count: 10_000))
        var effects: [EventStreamMachine.Effect] = []
        var number: Int64 = 0
        while effects.isEmpty {
            number += 1
            big["seq"] = .integer(number)
            effects = machine.heard(big)
        }
        #expect(effects == [.unsubscribe(1)])
        #expect(machine.waiting > 1 << 20 && machine.waiting < 1_100_000)
        // What was under way is not taken in, or it would come twice.
        big["seq"] = .integer(number + 1)
        #expect(machine.heard(big) == [])
        #expect(machine.lineIsUp() == [])
        let before = machine.waiting
        var result = machine.drain(before - 1, hasLine: true)
        #expect(result.bytes.count == before - 1 && result.effects.isEmpty)
        result = machine.drain(.max, hasLine: true)
        #expect(result.bytes.count == 1)
        #expect(result.effects == [.subscribe(["since": .integer(number), "epoch": "e1"])])
    }

    @Test("A subscription that comes when it is not wanted any more is given back")
    func late() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        _ = machine.lineIsUp()
        #expect(machine.end() == [])
        #expect(machine.subscribed(answer(7, next: 1)) == [.unsubscribe(7)])
        #expect(machine.hasEnded)
        #expect(text(&machine) == "event: ended\ndata: {}\n\n")
        machine.lineIsDown()
        #expect((text(&machine) as String).isEmpty)
    }

    @Test("A refused subscription counts as a daemon that is away, and is tried again")
    func refused() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        _ = machine.lineIsUp()
        _ = machine.refused()
        #expect(text(&machine) == "event: away\ndata: {}\n\n")
        #expect(machine.lineIsUp() == [.subscribe([:])])
    }

    @Test("A beat is a comment, and comes only where nothing else waits")
    func beat() {
        var machine = EventStreamMachine(since: nil, epoch: nil)
        machine.beat()
        machine.beat()
        #expect(text(&machine) == ":\n\n")
    }

    @Test("Last-Event-ID is a number and an epoch, or nothing")
    func places() {
        #expect(EventStreamMachine.place("12.019a-b")?.since == 12)
        #expect(EventStreamMachine.place("12.019a-b")?.epoch == "019a-b")
        for text in ["", "12", "12.", ".a", "x.a", "-1.a", "1.a b", "1.a.b", "99999999999999999999.a"] {
            #expect(EventStreamMachine.place(text) == nil, "\(text)")
        }
    }

    @Test("However the text is taken, it is the same")
    func pieces() {
        for size in [1, 2, 7, 100, 65_536] {
            var machine = EventStreamMachine(since: nil, epoch: nil)
            _ = machine.lineIsUp()
            _ = machine.subscribed(answer(1, next: 1))
            for number in 1...50 { _ = machine.heard(event(Int64(number))) }
            var bytes: [UInt8] = []
            while machine.waiting > 0 { bytes += machine.drain(size, hasLine: true).bytes }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.split(separator: "\n\n").count == 51, "\(size)")
        }
    }
}
