import Basics
import ControlProtocol
import LocalSend

/// What a LocalSend device may send: a datagram, a body, the first line of a request; and the lines between the daemon and the
/// bridge. What is read is bounded, and is read again as it was written.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        #"{"alias":"Nice Orange","version":"2.0","deviceModel":"Samsung","deviceType":"mobile","fingerprint":"AB","port":53317,"protocol":"https","download":true,"announce":true}"#,
        #"{"info":{"alias":"a","version":"2.1","fingerprint":"b"},"files":{"x":{"id":"x","fileName":"a/b.png","size":3,"fileType":"image/png","preview":null,"metadata":{"modified":"2021-01-01T12:34:56Z"}}}}"#,
        #"{"info":{"alias":"a","fingerprint":"b"},"files":{"t":{"id":"t","fileName":"t.txt","size":3,"fileType":"text/plain","preview":"abc"}}}"#,
        "POST /api/localsend/v2/upload?sessionId=s&fileId=f%20g&token=t", "GET /api/localsend/v2/info?fingerprint=a",
        "POST /api/localsend/v2/prepare-upload?pin=1+2",
        #"{"said":"offered","offer":1,"device":{"info":{"alias":"a","fingerprint":"b"},"address":"10.9.0.1"},"items":[{"name":"a/b.png","size":3}],"text":null}"#,
        #"{"said":"devices","devices":[{"info":{"alias":"a","fingerprint":"b"},"address":"10.9.0.1"}]}"#,
        #"{"said":"echoed","on":2}"#, #"{"said":"begins","file":1,"offer":2,"item":3}"#,
        #"{"said":"over","offer":1,"why":"silent"}"#,
        #"{"said":"came","offer":1,"bytes":9}"#, #"{"said":"ends","file":1,"how":"whole"}"#,
        #"{"do":"begin","info":{"alias":"a","fingerprint":"b"},"pin":"1","links":[{"index":1,"address":"10.9.0.1","prefix":24}],"first":0}"#,
        #"{"sessionId":"s","files":{"0":"t","1":"u"}}"#, #"{"said":"takes","items":[0,2]}"#,
        #"{"said":"over","how":"declined","status":403}"#, #"{"said":"went","bytes":3}"#,
        #"{"do":"begin","info":{"alias":"a","fingerprint":"b"},"device":{"info":{"alias":"a","fingerprint":"b"},"address":"10.9.0.1"},"items":[{"name":"a/b.png","size":3,"type":"image/png"}]}"#,
        #"{"do":"answer","offer":1,"items":[0,2]}"#, #"{"do":"refuse","file":1,"status":507}"#,
    ].map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) {
        if let heard = Announcement(datagram: bytes) {
            check(heard.info)
            let again = Announcement(datagram: heard.datagram)
            require(again?.info.alias == heard.info.alias, "a name is read as it was written")
            require(again?.info.fingerprint == heard.info.fingerprint, "so is a fingerprint")
            require(again?.wantsAnswers == heard.wantsAnswers, "and whether answers are wanted")
        }
        if let offer = try? UploadOffer(body: bytes) {
            check(offer.sender)
            require(1...LocalSendLimits.files ~= offer.items.count, "an offer has files, not too many")
            require(Set(offer.items.map(\.id)).count == offer.items.count, "no two files have one id")
            for item in offer.items {
                require(item.size >= 0 && !item.name.isEmpty, "a file has a size and a name")
                require(item.name.utf8.count <= LocalSendLimits.nameBytes, "a name is bounded")
                require(item.preview.map { $0.utf8.count <= LocalSendLimits.textBytes } ?? true, "a text is bounded")
            }
            require(offer.size >= 0, "a size is no less than nothing")
        }
        if let line = try? JSONParser.parse(bytes, maximumBytes: LocalSendLimits.lineBytes) {
            if let report = BridgeReport(line: line) { check(report) }
            if let order = BridgeOrder(line: line) {
                let again = BridgeOrder(line: .object(order.line))
                require(again != nil, "an order is heard as it is said")
                require(again.flatMap { BridgeOrder(line: .object($0.line)) } == again, "each time")
            }
            if let report = GiveReport(line: line) {
                let again = GiveReport(line: .object(report.line))
                require(again != nil, "a giver's report is heard as it is said")
                require(again.flatMap { GiveReport(line: .object($0.line)) } == again, "each time")
                if case .met(let info) = report { check(info) }
            }
            if let order = GiveOrder(line: line) {
                let again = GiveOrder(line: .object(order.line))
                require(again != nil, "a giver's order is heard as it is said")
                require(again.flatMap { GiveOrder(line: .object($0.line)) } == again, "each time")
            }
        }
        answer(bytes)
        var greeting = Handover.greeting
        _ = greeting.answered(200, bytes)
        if let met = greeting.met { check(met.reached(port: DeviceInfo.usualPort, certificate: nil)) }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
        if words.count == 2 { _ = LocalSendRoute(method: String(words[0]), target: String(words[1])) }
    }

    /// Takes the bytes for the answer to an offer.
    private static func answer(_ bytes: [UInt8]) {
        var handover = Handover(count: 3, isText: false)
        var step = handover.answered(200, bytes)
        var requests = 0
        while case .ask(let request) = step {
            let target = Handover.target(of: request, pin: nil)
            require(target.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }, "a target is one word")
            requests += 1
            require(requests <= 3, "no file goes twice")
            step = handover.answered(200, [])
        }
        require(handover.given == (handover.taken ?? []) || requests == 0, "all goes that is wanted")
    }

    private static func check(_ report: BridgeReport) {
        let again = BridgeReport(line: .object(report.line))
        require(again != nil, "a report is heard as it is said")
        require(again.flatMap { BridgeReport(line: .object($0.line)) } == again, "each time")
        switch report {
        case .devices(let devices):
            require(devices.count <= LocalSendLimits.devices, "devices are few")
            for device in devices { check(device.info) }
        case .offered(let number, let device, let items, let text):
            check(device.info)
            require(number >= 0 && items.isEmpty == (text != nil), "an offer has files or a text")
            require(items.count <= LocalSendLimits.files, "not too many of them")
            require(items.allSatisfy { $0.size >= 0 && $0.name.utf8.count <= LocalSendLimits.nameBytes }, "all bounded")
            require(text.map { $0.utf8.count <= LocalSendLimits.textBytes } ?? true, "as the text is")
        case .begins(let ticket, let offer, let item):
            require(min(ticket, offer, item) >= 0, "numbers count from nothing")
        case .came(let number, let bytes): require(number >= 0 && bytes >= 0, "no bytes go back")
        case .over(let number, _), .ends(let number, _): require(number >= 0, "numbers count from nothing")
        case .ready, .failed, .echoed, .reached: break
        }
    }

    private static func check(_ info: DeviceInfo) {
        require(
            ForeignText.isLabel(info.alias, maximumCharacters: LocalSendLimits.aliasCharacters),
            "a name shows something")
        require(info.port > 0, "a device has a port")
        require(info.fingerprint.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a fingerprint is printable")
    }
}
