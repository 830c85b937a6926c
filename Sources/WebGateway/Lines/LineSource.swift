import CLinux
import Glibc
import Reactor

/// The channel to the broker. The worker asks with one byte. The broker answers each question in its turn with a byte, and a
/// descriptor if it was asked for a line and the daemon is there.
@ReactorActor final class LineSource {
    typealias Answer = @ReactorActor (BrokerSign.Answer, CInt?) -> Void

    private let descriptor: CInt
    private var watch: DescriptorWatch?
    private var waiting: [Answer] = []
    private let ended: @ReactorActor () -> Void

    /// - Parameter ended: the broker is gone.
    init(descriptor: CInt, ended: @escaping @ReactorActor () -> Void) throws(SocketError) {
        self.descriptor = descriptor
        self.ended = ended
        watch = try DescriptorWatch(descriptor) { [unowned self] in read() }
    }

    /// Asks the broker.
    /// - Parameter answer: gets its answer, and the line that comes with a yes to ``BrokerSign/Question/line``.
    func ask(_ question: BrokerSign.Question, _ answer: @escaping Answer) {
        waiting.append(answer)
        var byte = question.rawValue
        if Glibc.send(descriptor, &byte, 1, CInt(MSG_DONTWAIT | MSG_NOSIGNAL)) != 1 { end() }
    }

    private func read() {
        var byte: UInt8 = 0
        var line: CInt = -1
        let count = kibo_receive_descriptor(descriptor, &byte, 1, &line)
        if count < 0, errno == EAGAIN { return }
        guard count == 1, let answer = BrokerSign.Answer(rawValue: byte), !waiting.isEmpty else { return end() }
        waiting.removeFirst()(answer, line >= 0 ? line : nil)
    }

    private func end() {
        watch?.close()
        watch = nil
        ended()
    }
}

/// The bytes that broker and worker send each other.
enum BrokerSign {
    /// What the worker asks. None of it has a word of a page in it.
    enum Question: UInt8 {
        /// For a line to the daemon.
        case line = 0x4C
        /// Whether the daemon is a unit that the user's service manager can start.
        case startable = 0x55
        /// To have that unit started.
        case start = 0x53
    }

    /// What the broker answers; the yes to a line comes with it.
    enum Answer: UInt8 {
        case yes = 0x79
        case no = 0x6E
    }
}
