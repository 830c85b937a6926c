import CMagic
import Glibc

/// Tells what files are by their beginnings. A question is a length (u32, big-endian) and that many bytes; the length's
/// highest bit is set where only the form is asked for, which is quick. An answer is a line with the media type and the
/// form.
enum TypeServer {
    static func run() -> Int32 {
        // The database is the system's; it is read before rights are given up.
        guard let magic = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS), magic_load(magic, nil) == 0 else {
            return 3
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: MediaLimits.beginning, alignment: 16)
        guard Confinement.close(memory: MediaLimits.typesMemory, time: MediaLimits.workerTime) else { return 4 }
        while isAsked() {
            guard Pipes.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<4])) else { return 0 }
            let word = UInt32(bigEndian: buffer.loadUnaligned(as: UInt32.self))
            let count = Int(word & 0x7FFF_FFFF)
            guard count <= buffer.count, Pipes.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            else { return 2 }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let form = TypeGuess.form(of: bytes)
            var type = form == .binary ? "application/octet-stream" : "text/plain"
            if word & 0x8000_0000 == 0 {
                let words = magic_buffer(magic, bytes.baseAddress, count).map { String(cString: $0) }
                type = TypeGuess.refined(words ?? type, bytes)
            }
            guard Pipes.write("\(type) \(form.rawValue)\n") else { return 0 }
        }
        return 0
    }

    /// Waits for a question. False if none came within the limit.
    private static func isAsked() -> Bool {
        var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&wait, 1, MediaLimits.idle)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}
