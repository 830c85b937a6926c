import CLinux
import Glibc
import Reactor

/// The channel to the broker. The worker asks for a line with one byte. The broker answers with a byte and a
/// descriptor, or with a byte alone if the daemon is away.
@ReactorActor final class LineSource {
    typealias Answer = @ReactorActor (CInt?) -> Void

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

    /// Asks for a line; nil comes if the daemon doesn't answer.
    func ask(_ answer: @escaping Answer) {
        waiting.append(answer)
        var byte = BrokerSign.wanted.rawValue
        if Glibc.send(descriptor, &byte, 1, CInt(MSG_DONTWAIT | MSG_NOSIGNAL)) != 1 { end() }
    }

    private func read() {
        var byte: UInt8 = 0
        var line: CInt = -1
        let count = kibo_receive_descriptor(descriptor, &byte, 1, &line)
        if count < 0, errno == EAGAIN { return }
        guard count == 1, !waiting.isEmpty else { return end() }
        waiting.removeFirst()(line >= 0 ? line : nil)
    }

    private func end() {
        watch?.close()
        watch = nil
        ended()
    }
}

/// The bytes that broker and worker send each other.
enum BrokerSign: UInt8 {
    /// The worker wants a line.
    case wanted = 0x4C
    /// Here it is.
    case line = 0x6C
    /// The daemon doesn't answer.
    case none = 0x6E
}
