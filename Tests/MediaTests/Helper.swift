import Basics
import CLinux
import Glibc
import TestSupport

/// Runs kibo-media as the daemon does, with pipes.
struct MediaRun {
    let output: [UInt8]
    /// The exit status; nil if a signal ended the program.
    let status: CInt?
    /// The program's peak memory in bytes.
    let peak: Int

    var text: String { String(decoding: output, as: UTF8.self) }

    init(_ mode: String, words: [String] = [], _ input: [UInt8] = [], asFile: Bool = false) throws {
        let directory = try TemporaryDirectory()
        var toChild: [CInt] = [0, 0]
        var fromChild: [CInt] = [0, 0]
        guard pipe(&fromChild) == 0 else { throw SystemError("pipe") }
        if asFile {
            try TextFile.write(input, to: directory.file("input"))
            toChild = [open(directory.file("input"), O_RDONLY), -1]
        } else {
            guard pipe(&toChild) == 0 else { throw SystemError("pipe") }
        }
        var arguments = [strdup(ProgramPaths.media), strdup(mode)] + words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        let pid = kibo_spawn_piped(arguments[0], &arguments, &environment, toChild[0], fromChild[1])
        guard pid > 0 else { throw SystemError("start kibo-media", code: -pid) }
        close(toChild[0])
        close(fromChild[1])
        signal(SIGPIPE, SIG_IGN)
        if toChild[1] >= 0 {
            // There are few answers, so all questions are written before any answer is read.
            _ = input.withUnsafeBytes { Self.write($0, to: toChild[1]) }
            close(toChild[1])
        }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(fromChild[0], &buffer, buffer.count)
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        close(fromChild[0])
        var state: CInt = 0
        var usage = rusage()
        wait4(pid, &state, 0, &usage)
        self.output = output
        status = state & 0x7F == 0 ? state >> 8 & 0xFF : nil
        peak = usage.ru_maxrss * 1024
    }

    /// A run, and how much more memory it had than a run without input just before. The system's count begins with the
    /// memory of this process at the fork, which other tests increase meanwhile, so this takes the least of a few
    /// tries.
    static func measured(_ mode: String, _ input: [UInt8]) throws -> (run: MediaRun, excess: Int) {
        var best: (run: MediaRun, excess: Int)?
        for _ in 0..<8 {
            let before = try MediaRun(mode).peak
            let run = try MediaRun(mode, input)
            if best.map({ run.peak - before < $0.excess }) ?? true { best = (run, run.peak - before) }
            if let best, best.excess < 16 << 20 { return best }
        }
        guard let best else { throw SystemError("run kibo-media") }
        return best
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
