// Measures whole daemons on loopback, as a client sees them: what a message costs, how fast a file goes, what idling
// takes, how a long history slows things; and discovery among simulated hosts. scripts/bench builds and drives it, and
// docs/PERFORMANCE.md says how to read it. It is not installed.

import Arguments
import Glibc

// A contender or a daemon that ends early is an error to report; it must not end this program by SIGPIPE.
signal(SIGPIPE, SIG_IGN)

func complain(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    _ = write(2, bytes, bytes.count)
}

do {
    try BenchCommand.run(Array(CommandLine.arguments.dropFirst()))
} catch let problem as ArgumentParser.Problem {
    complain("\(problem)")
    exit(2)
} catch {
    complain("kibo-bench: \(error)")
    exit(1)
}
