import Basics
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Media

/// What the daemon makes of a kibo-media that reads codes, and of one that was taken over.
struct CodeProgramTests {
    private let log = LogCapture()

    /// The daemon does the same: the program may have ended before it was given all.
    init() { SignalWatcher.ignoreBrokenPipes() }

    /// A program in place of kibo-media.
    private func program(_ script: String, in directory: TemporaryDirectory) throws -> MediaProgram {
        let path = directory.file("fake")
        try TextFile.writeProgram("#!/bin/sh\n\(script)\n".utf8, to: path)
        return MediaProgram(path: path, log: Logger(label: "test", sink: log))
    }

    private func codes(_ media: MediaProgram, within limit: Duration = .seconds(10)) throws -> [String] {
        let greys = [UInt8](repeating: 0, count: 512 * 512)
        return try media.codes(in: greys, size: (512, 512), until: SystemClocks().now + limit)
    }

    @Test("A program that hangs, dies, reads nothing or says too much gives no texts, in time")
    func failing() throws {
        let directory = try TemporaryDirectory()
        let begin = SystemClocks().now
        for script in ["exec sleep 60", "kill -9 $$", "exit 0", "cat >/dev/null; yes", "cat >/dev/null; printf 'half'"]
        {
            #expect(try codes(program(script, in: directory), within: .seconds(1)) == [], "\(script)")
        }
        #expect(SystemClocks().now - begin < .seconds(20))
        #expect(!log.lines(containing: "could not be looked through").isEmpty)
    }

    @Test("A program that is killed after it has answered, or goes on after it has closed its output, gives no texts")
    func killed() throws {
        let directory = try TemporaryDirectory()
        let answer = "cat >/dev/null; printf 'one\\0'; "
        #expect(try codes(program(answer, in: directory)) == ["one"])
        #expect(log.lines(containing: "could not be looked through").isEmpty)
        #expect(try codes(program(answer + "kill -9 $$", in: directory)) == [])
        #expect(log.lines(containing: "could not be looked through").count == 1)
        let stays = answer + "exec >&-; exec sleep 60"
        #expect(try codes(program(stays, in: directory), within: .seconds(1)) == [])
        #expect(log.lines(containing: "could not be looked through").count == 2)
    }

    @Test("Texts are taken that are UTF-8, not too long and not there already, 16 at most")
    func texts() throws {
        let directory = try TemporaryDirectory()
        let media = try program("cat >/dev/null; printf 'one\\0\\0\\377\\0two\\0one\\0cut'", in: directory)
        #expect(try codes(media) == ["one", "two"])
        let many = (0..<40).flatMap { (number: Int) -> [UInt8] in Array("\(number)".utf8) + [0] }
        #expect(MediaProgram.texts(many) == (0..<16).map { "\($0)" })
        let long = [UInt8](repeating: 0x61, count: MediaLimits.codeText)
        #expect(MediaProgram.texts(long + [0x61, 0] + long + [0]) == [String(decoding: long, as: UTF8.self)])
        #expect(MediaProgram.texts([]) == [] && MediaProgram.texts([0]) == [] && MediaProgram.texts([0x61]) == [])
    }

    @Test("A program that is not there is a failure of ours")
    func missing() throws {
        for path in [nil, "/nonexistent/kibo-media"] {
            let media = MediaProgram(path: path, log: Logger(label: "test", sink: log))
            let failure = #expect(throws: MediaProgram.Failure.self) { try codes(media) }
            #expect(failure?.isOurs == true)
        }
    }
}
