import Basics
import CMicrohttpd
import Glibc
import Reactor

/// One request and its answer, from the first line to the last byte. The server makes it, and its owner answers it, at once
/// or later.
@ReactorActor package final class Exchange {
    /// What becomes of the bytes of a body.
    package enum Intake {
        /// They are gathered, up to their number, which the head has told.
        case gathered
        /// Each piece is handed on; false holds the rest back until ``wake()``.
        case passed(@ReactorActor (UnsafeRawBufferPointer) -> Bool)
        /// They are thrown away, because the answer is known.
        case dropped
    }

    /// The target as it was written.
    package let target: String
    /// Where it comes from.
    package internal(set) var peer: IPAddress?
    /// Bytes of the body; nil for none. A body that is longer ends the connection. The owner of the server sets it when it begins the request.
    package var length: Int64?
    /// Whether the body may be shorter than ``length``: its head doesn't tell how long it is (`Transfer-Encoding: chunked`).
    package var isOpenEnded = false
    /// Whether the body is large and comes from a disk, so that it has more time, and the program is not woken for each piece.
    package var isLarge = false
    /// Whether the owner has begun to answer: the head has come.
    var isBegun = false
    package var intake = Intake.gathered
    package private(set) var body: [UInt8] = []
    /// Bytes of the body that have come.
    package private(set) var taken: Int64 = 0
    private(set) var reply: Reply?
    private(set) var isAborted = false
    /// Whether the answer was handed to the library.
    var isAnswered = false
    /// Whether the request is over, with or without an answer.
    package private(set) var hasEnded = false
    /// Called when it is over; to be set by those who still work on an answer.
    package var whenEnded: (@ReactorActor () -> Void)?
    /// Called when the whole body is there.
    package var whenComplete: (@ReactorActor () -> Void)?
    /// The server that has its connection.
    weak var server: HTTPServer?
    /// Its connection's.
    var socket: CInt?
    /// Whether the head is reported once more, since the connection was held before its body.
    var reportsHeadAgain = false
    /// Whether a request that is held before its body is answered then, and the connection ends; else its body is thrown away first.
    package var refusesEarly = false
    /// Whether a connection that is held ends when its peer does.
    package var endsWithPeer = false
    private var watch: DescriptorWatch?
    private var suspended: OpaquePointer?

    init(target: String) { self.target = target }

    /// Takes in a piece of the body.
    /// - Returns: whether more may come at once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        taken += Int64(bytes.count)
        switch intake {
        case .gathered: body.append(contentsOf: bytes)
        case .passed(let hand): return hand(bytes)
        case .dropped: break
        }
        return true
    }

    /// Answers. Only the first answer counts.
    package func answer(_ reply: Reply) {
        guard self.reply == nil, !hasEnded else {
            if case .file(let descriptor, _, _) = reply.body { close(descriptor) }
            return
        }
        self.reply = reply
        wake()
    }

    /// Ends the connection without an answer: what comes can't be taken, and the rest of it is not to be waited for.
    package func abort() {
        guard !hasEnded else { return }
        isAborted = true
        if let socket { shutdown(socket, CInt(SHUT_RDWR)) }
        wake()
    }

    /// Holds the connection until there is an answer, or until ``wake()``.
    func wait(_ connection: OpaquePointer) {
        MHD_suspend_connection(connection)
        suspended = connection
        // The library doesn't look at a held connection.
        guard endsWithPeer, let socket else { return }
        watch = try? DescriptorWatch(endOf: socket) { [weak self] in
            self?.isAborted = true
            self?.wake()
        }
    }

    /// Lets a held connection go on.
    package func wake() {
        guard let connection = suspended else { return }
        suspended = nil
        unwatch()
        server?.resume(connection)
    }

    private func unwatch() {
        watch?.close()
        watch = nil
    }

    func end() {
        hasEnded = true
        suspended = nil
        unwatch()
        if !isAnswered, case .file(let descriptor, _, _)? = reply?.body { close(descriptor) }
        intake = .dropped
        whenComplete = nil
        let last = whenEnded
        whenEnded = nil
        last?()
    }
}
