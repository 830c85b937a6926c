// Compiled with: Sources/WebGateway/Lines/EventStreamMachine.swift Sources/WebGateway/Gate/Route.swift Sources/WebGateway/Gate/Limits.swift

import ControlProtocol
import Glibc

/// The gateway's stream of events between an honest daemon that comes and goes and a browser that reads as it likes: whatever the order,
/// the browser hears each kept event once and in order, or of a gap. Each byte is a step.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        [0, 1, 2, 3, 4, 3, 4, 5, 255, 6, 5, 255, 7, 1, 2, 4, 5, 255, 9],
        [12, 1, 2] + [UInt8](repeating: 8, count: 20) + [UInt8](repeating: 4, count: 20) + [
            5, 255, 5, 255, 2, 4, 4, 5, 255,
        ],
        Array("\u{1}\u{2}\u{3}ab\u{4}\u{5}\u{FF}\u{A}\u{1}\u{2}".utf8), Array("\u{0}12.e1".utf8),
    ]

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        readPlace(String(decoding: bytes.dropFirst(), as: UTF8.self))
        var story = Story(since: first & 4 == 0 ? nil : Int64(first >> 3), namesEpoch: first & 8 == 0)
        var steps = bytes.dropFirst().prefix(400)
        while let step = steps.popFirst() { story.take(step, more: steps.first) }
        story.finish()
    }

    private static func readPlace(_ text: String) {
        guard let place = EventStreamMachine.place(text) else { return }
        require(place.since >= 0 && Route.isID(place.epoch), "a place in the stream")
        require(text.hasSuffix("." + place.epoch), "a place is what was sent")
    }
}

/// One stream's life.
private struct Story {
    private static let epoch = "e1"
    private static let large = String(repeating: "x", count: 60_000)

    private var machine: EventStreamMachine
    /// The daemon: the numbers of its log, and how many bytes each event has.
    private var oldest: Int64 = 1
    private var latest: Int64 = 40
    private var sizes: [Int64: Int] = [:]
    private var hasLine = false
    private var asked: [JSONObject] = []
    private var subscription: Int64 = 0
    private var queue: [JSONObject] = []
    /// The browser: the last number that it heard or was told of, and the text that has not come whole.
    private var heard: Int64?
    private var text: [UInt8] = []
    private var hasEnded = false
    private var large = 0

    init(since: Int64?, namesEpoch: Bool) {
        machine = EventStreamMachine(since: since, epoch: namesEpoch ? Self.epoch : nil)
        heard = since
    }

    mutating func take(_ step: UInt8, more: UInt8?) {
        switch step % 12 {
        case 0: machine.beat()
        case 1:
            hasLine = true
            carryOut(machine.lineIsUp())
        case 2: answer()
        case 3: commit(bytes: Int(more ?? 1))
        case 4: hand()
        case 5: read(Int(more ?? 0) * 64)
        case 6: lose()
        case 7: read(.max)
        case 8:
            // Enough for a stream to rest.
            large += 1
            if large < 24 { commit(bytes: 60_000) }
        case 9: oldest = latest + 1
        case 10:
            if !asked.isEmpty {
                asked.removeFirst()
                carryOut(machine.refused())
            }
        default: if step > 250 { carryOut(machine.end()) }
        }
        require(machine.waiting <= WebLimits.streamBacklog + 70_000, "what waits is bounded")
    }

    /// Everything that waits comes: then the browser has all.
    mutating func finish() {
        guard !machine.hasEnded else { return }
        for _ in 0..<10_000 where !machine.hasEnded {
            if !hasLine || asked.isEmpty && queue.isEmpty { read(.max) }
            if !hasLine {
                hasLine = true
                carryOut(machine.lineIsUp())
            }
            if !asked.isEmpty { answer() } else if !queue.isEmpty { hand() } else if machine.waiting == 0 { break }
        }
        // A refused stream is away until its owner tries again.
        if subscription == 0 || !isLive {
            carryOut(machine.lineIsUp())
            while !asked.isEmpty || !queue.isEmpty || machine.waiting > 0 {
                if !asked.isEmpty { answer() } else if !queue.isEmpty { hand() }
                read(.max)
            }
        }
        require(text.isEmpty, "all blocks are whole")
        require(heard == nil || heard == latest, "the browser has the last event, or began behind it")
    }

    private var isLive: Bool { liveSubscription != nil }
    private var liveSubscription: Int64?

    private mutating func carryOut(_ effects: [EventStreamMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .subscribe(let parameters): if hasLine { asked.append(parameters) }
            case .unsubscribe(let number):
                if liveSubscription == number {
                    liveSubscription = nil
                    queue = []
                }
            }
        }
        require(asked.count <= 1, "one subscription is asked for at a time")
    }

    /// The daemon answers a subscription, and replays its log.
    private mutating func answer() {
        guard hasLine, !asked.isEmpty else { return }
        let parameters = asked.removeFirst()
        subscription += 1
        liveSubscription = subscription
        queue = []
        let position = parameters["since"]?.integer ?? latest
        // The daemon tells of a gap by one event without a number.
        if position + 1 < oldest || position > latest {
            queue.append(
                event(nil, type: "gap", data: ["from": .integer(min(position, latest)), "to": .integer(latest)]))
        } else if position < latest {
            for number in (position + 1)...latest { queue.append(event(number)) }
        }
        carryOut(
            machine.subscribed([
                "subscription": .integer(subscription), "next": .integer(latest + 1), "oldest": .integer(oldest),
                "epoch": .string(Self.epoch),
            ]))
    }

    private mutating func commit(bytes: Int) {
        guard latest < 5_000 else { return }
        latest += 1
        sizes[latest] = bytes
        if isLive { queue.append(event(latest)) }
    }

    private func event(_ number: Int64?, type: String = "message.added", data: JSONValue? = nil) -> JSONObject {
        let size = number.flatMap { sizes[$0] } ?? 4
        let text = "\n\ndata: x\r\u{2028}" + (size < 1_000 ? String(repeating: ":\n", count: size / 2) : Self.large)
        return [
            "subscription": .integer(subscription), "seq": .optional(number), "at": 5, "type": .string(type),
            "change": "insert", "data": data ?? .string(text),
        ]
    }

    private mutating func hand() {
        guard hasLine, isLive, !queue.isEmpty else { return }
        carryOut(machine.heard(queue.removeFirst()))
    }

    private mutating func lose() {
        (hasLine, asked, queue, liveSubscription) = (false, [], [], nil)
        machine.lineIsDown()
    }

    // MARK: The browser

    private mutating func read(_ most: Int) {
        let before = machine.waiting
        let (bytes, effects) = machine.drain(most, hasLine: hasLine)
        require(bytes.count == min(before, most), "what waits is given")
        var new = text.count
        text += bytes
        carryOut(effects)
        while let end = endOfBlock(from: max(0, new - 1)) {
            readBlock(text[..<end].split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false))
            text.removeFirst(end + 2)
            new = 0
        }
    }

    /// The first of two line feeds.
    private func endOfBlock(from start: Int) -> Int? {
        text.withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress else { return nil }
            var place = start
            while place + 1 < all.count, let found = memchr(base + place, 0x0A, all.count - place - 1) {
                place = UnsafeRawPointer(found) - base
                if all[place + 1] == 0x0A { return place }
                place += 1
            }
            return nil
        }
    }

    private mutating func readBlock(_ lines: [ArraySlice<UInt8>]) {
        require(!hasEnded, "nothing comes after the end")
        if lines == [[0x3A]] { return }
        var name = "message"
        var number: Int64?
        for line in lines.dropLast() {
            let line = String(decoding: line, as: UTF8.self)
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("id: ") { number = EventStreamMachine.place(String(line.dropFirst(4)))?.since }
        }
        guard let last = lines.last, last.starts(with: "data: ".utf8) else {
            fatalError("a block is an id or a name, and JSON")
        }
        // Large ones take long, and are made as small ones are.
        guard last.count < 2_000 else { return hear(number) }
        guard let data = try? JSONParser.parse(Array(last.dropFirst(6))) else { fatalError("the data are JSON") }
        switch name {
        case "ready":
            // A fresh page hears everything from here on.
            if heard == nil { heard = (data["next"]?.integer).map { $0 - 1 } }
        case "gap": heard = data["to"]?.integer
        case "away": break
        case "ended": hasEnded = true
        default:
            require(data["seq"]?.integer == number, "an event has its number as its id")
            hear(number)
        }
    }

    private mutating func hear(_ number: Int64?) {
        require(number == heard.map { $0 + 1 }, "each event comes once and in order")
        heard = number
    }
}
