import Basics
import CCurl
import ControlProtocol
import Glibc
import LocalSend

/// Hands one errand's files or text to its device, a request at a time, or asks the device who it is.
final class Giver {
    /// The body of the request that runs.
    private enum Body {
        case bytes([UInt8])
        /// - Parameter written: when the file was written to last, as it came.
        case file(CInt, written: Int64?)
    }

    /// What has to come from the daemon before the next request begins.
    private enum Need: Hashable {
        case socket
        case file(Int)
    }

    private let errand: GiveOrder.Errand
    private let channel: GiverChannel
    private var handover: Handover
    private var client: OpaquePointer?
    private var request: Handover.Request
    private var body = Body.bytes([])
    private var length: Int64 = 0
    private var answer: [UInt8] = []
    private var answerLimit = LocalSendLimits.answerBytes
    /// A socket that no request has taken yet.
    private var socket: CInt?
    /// Whether the request that runs has asked for a socket already.
    private var hasDialled = false
    private var need: Need?
    private var isOver = false
    /// The bytes of the files that the device has.
    private var bytesGiven: Int64 = 0
    private var lastWent: (bytes: Int64, at: Instant)?
    /// Why the body's end was refused.
    private var isChanged = false

    private static let reportPause = Duration.milliseconds(250)
    private static let waitMilliseconds: CInt = 1000

    /// - Returns: nil where the library refuses, or for a fingerprint that is none.
    init?(_ errand: GiveOrder.Errand, _ channel: GiverChannel) {
        self.errand = errand
        self.channel = channel
        handover =
            errand.isGreeting
            ? .greeting : Handover(count: errand.text == nil ? errand.items.count : 1, isText: errand.text != nil)
        request = handover.first
        var fingerprint: [UInt8]?
        if errand.device.info.isEncrypted, !errand.isGreeting {
            guard let known = Hex.decode(errand.device.info.fingerprint), known.count == 32 else { return nil }
            fingerprint = known
        }
        // It lives as long as the process.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var calls = kibo_client_calls(
            socket: { Giver.at($0)?.takeSocket() ?? -1 }, body: { Giver.at($0)?.read(at: $1, into: $2, $3) ?? -1 },
            answer: { Giver.at($0)?.take($1, $2) ?? false })
        client = kibo_client_new(
            &calls, context, errand.device.info.isEncrypted, fingerprint, errand.certificate, errand.key)
        if client == nil { return nil }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Giver? {
        context.map { Unmanaged<Giver>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Does it all. Blocking.
    func run() {
        begin(request)
        while !isOver {
            while let order = channel.next() { obey(order) }
            guard !isOver else { return }
            var status = 0
            let end = kibo_client_go_on(client, STDIN_FILENO, Self.waitMilliseconds, &status)
            if end != kibo_client_runs { ended(end, status) }
            report()
        }
    }

    // MARK: Orders

    private func obey(_ order: GiveOrder) {
        switch order {
        case .begin: exit(1)
        case .socket:
            let descriptor = channel.takeDescriptor()
            if let socket { close(socket) }
            socket = descriptor
            if need == .socket { start() }
        case .unreachable: if need == .socket { step(handover.failed(.unreachable)) }
        case .file(let item):
            let descriptor = channel.takeDescriptor()
            guard need == .file(item) else {
                close(descriptor)
                return
            }
            (body, length) = (.file(descriptor, written: Self.written(descriptor)), errand.items[item].size)
            start()
        case .changed(let item): if need == .file(item) { step(handover.failed(.changed)) }
        case .stop: step(handover.stop())
        }
    }

    // MARK: Requests

    private func step(_ step: Handover.Step) {
        kibo_client_drop(client)
        if case .file(let descriptor, _) = body { close(descriptor) }
        body = .bytes([])
        need = nil
        guard !isOver else { return }
        switch step {
        case .ask(let next): begin(next)
        case .over(let ending, let status):
            isOver = true
            channel.say(.over(ending, status: status))
        }
    }

    private func begin(_ request: Handover.Request) {
        self.request = request
        hasDialled = false
        switch request {
        case .register: body = .bytes(JSONValue.object(errand.info.json).encoded)
        case .prepare: body = .bytes(Handover.offer(errand))
        case .cancel: body = .bytes([])
        case .upload(let item, _, _):
            guard let text = errand.text else {
                need = .file(item)
                channel.say(.wants(item))
                return
            }
            body = .bytes(Array(text.utf8))
        }
        if case .bytes(let bytes) = body { length = Int64(bytes.count) }
        start()
    }

    private func start() {
        need = nil
        answer = []
        isChanged = false
        let (patience, idle, type): (Int, Int, String) =
            switch request {
            case .register: (LocalSendLimits.greetSeconds, 0, "application/json")
            case .prepare: (LocalSendLimits.answerSeconds, 0, "application/json")
            case .upload: (0, LocalSendLimits.restSeconds, "application/octet-stream")
            case .cancel: (LocalSendLimits.cancelSeconds, 0, "application/json")
            }
        answerLimit = request == .prepare ? LocalSendLimits.answerBytes : LocalSendLimits.wordlessBytes
        let (info, address) = (errand.device.info, errand.device.address)
        let url =
            "\(info.isEncrypted ? "https" : "http")://\(address):\(info.port)"
            + Handover.target(of: request, pin: errand.pin)
        guard kibo_client_post(client, url, type, length, patience, idle) else {
            return step(handover.failed(.broken))
        }
    }

    private func ended(_ end: kibo_client_end, _ status: Int) {
        switch end {
        case kibo_client_answered:
            let before = handover
            let next = handover.answered(status, answer)
            if let met = handover.met { tellMeeting(met) }
            if let taken = handover.taken, before.taken == nil, !taken.isEmpty { channel.say(.takes(taken)) }
            if let item = handover.given.last, handover.given.count > before.given.count {
                bytesGiven += errand.text == nil ? errand.items[item].size : 0
                channel.say(.gave(item))
            }
            step(next)
        case kibo_client_no_socket:
            // A device may close after each answer, but must not have us dial for ever.
            guard !hasDialled else { return step(handover.failed(.unreachable)) }
            (hasDialled, need) = (true, .socket)
            channel.say(.dial)
        case kibo_client_other_certificate: step(handover.failed(.otherCertificate))
        case kibo_client_silent: step(handover.failed(.silent))
        case kibo_client_refused: step(handover.failed(isChanged ? .changed : .broken))
        default: step(handover.failed(.broken))
        }
    }

    /// What the device has shown counts, in place of what it says about that.
    private func tellMeeting(_ said: DeviceInfo) {
        let certificate = kibo_client_shown(client).map { Array(UnsafeBufferPointer(start: $0, count: 32)) }
        guard (certificate != nil) == errand.device.info.isEncrypted else { return }
        channel.say(.met(said.reached(port: errand.device.info.port, certificate: certificate)))
    }

    // MARK: What the request asks for

    private func takeSocket() -> CInt {
        defer { socket = nil }
        return socket ?? -1
    }

    private func read(at position: Int64, into buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        let count = Int(min(Int64(count), length - position))
        guard count > 0, let buffer else { return 0 }
        switch body {
        case .bytes(let bytes):
            let rest = bytes[Int(position)...].prefix(count)
            rest.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: $0) }
            return rest.count
        case .file(let descriptor, let written):
            var got = 0
            repeat { got = pread(descriptor, buffer, count, Int(position)) } while got < 0 && errno == EINTR
            // What somebody writes to meanwhile is not what was offered.
            guard got > 0, Self.written(descriptor) == written else {
                isChanged = true
                return -1
            }
            note(position + Int64(got))
            return got
        }
    }

    /// When a file was written to last, in nanoseconds; nil if that can't be said.
    private static func written(_ descriptor: CInt) -> Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    private func take(_ bytes: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard answer.count + count <= answerLimit else { return false }
        answer.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return true
    }

    // MARK: Progress

    private var went: Int64 = 0

    private func note(_ position: Int64) { went = bytesGiven + position }

    private func report() {
        guard went > 0, lastWent?.bytes != went else { return }
        let now = SystemClocks().now
        if let lastWent, now - lastWent.at < Self.reportPause { return }
        lastWent = (went, now)
        channel.say(.went(went))
    }
}
