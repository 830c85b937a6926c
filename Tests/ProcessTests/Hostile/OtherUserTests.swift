import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// User 65534, as which these tests look at a daemon.
private enum OtherUser {
    static let perl = "/usr/bin/perl"

    /// Why these tests can't run here.
    static var unavailable: String? {
        if geteuid() != 0 { return "only root can become another user" }
        return access(perl, X_OK) == 0 ? nil : "there is no Perl"
    }

    /// Becomes user 65534, and then lists a directory, reads a file, or calls a socket. It prints the result.
    static let script = """
        use strict; use Socket; use POSIX ();
        POSIX::setgid(65534); $) = "65534 65534"; POSIX::setuid(65534);
        die "still root" if $> == 0 || $< == 0;
        my ($what, $path) = @ARGV;
        if ($what eq 'list') { opendir(my $d, $path) or die "no: $!\\n"; print join(' ', readdir $d); }
        elsif ($what eq 'read') { open(my $f, '<', $path) or die "no: $!\\n"; print scalar <$f>; }
        else {
            socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die;
            connect($s, sockaddr_un($path)) or die "no: $!\\n";
            $SIG{PIPE} = 'IGNORE';
            syswrite $s, '{"jsonrpc":"2.0","id":1,"method":"system.status"}' . "\\n";
            my $n = sysread $s, my $answer, 4096;
            print $n ? "answer: $answer" : "closed";
        }
        """
}

/// Goal: another user of the same host can neither read what the daemon keeps nor call it, even if its directory was
/// opened to others. This needs root, to become another user.
@Suite(
    "Another user of this host", .serialized,
    .enabled(if: OtherUser.unavailable == nil, "\(OtherUser.unavailable ?? "")"))
struct OtherUserTests {
    private func asNobody(_ what: String, _ path: String) throws -> String {
        let place = try TemporaryDirectory()
        let child = try ChildProcess(
            OtherUser.perl, ["-e", OtherUser.script, what, path], environment: [:], outputPath: place.file("out"))
        try #require(child.wait(Patience.usual) != nil)
        return try TextFile.text(place.file("out"))
    }

    @Test(
        "Directories, keys, database and socket are closed; in open directories the kernel tells who is calling")
    func everything() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(logLevel: .info))
        let files = TemporaryDirectory.names(in: anna.dataPath).map { "\(anna.dataPath)/\($0)" }
        #expect(files.count >= 3)
        #expect(try asNobody("list", anna.directory.path).hasPrefix("no: Permission denied"))
        #expect(try asNobody("ask", anna.socketPath).hasPrefix("no: Permission denied"))
        // The directories on the way there are opened to others.
        #expect(chmod(anna.directory.path, 0o755) == 0)
        #expect(try asNobody("list", anna.dataPath).hasPrefix("no: Permission denied"))
        #expect(chmod(anna.dataPath, 0o755) == 0)
        #expect(
            try asNobody("list", anna.dataPath).contains("."),
            "the directory must be open now, or this test shows nothing")
        for file in files { #expect(try asNobody("read", file).hasPrefix("no: Permission denied"), "\(file)") }
        #expect(try asNobody("ask", anna.socketPath).hasPrefix("no: Permission denied"))
        // The socket itself is opened, too.
        #expect(chmod(anna.socketPath, 0o666) == 0)
        #expect(try asNobody("ask", anna.socketPath) == "closed")
        #expect(anna.log.contains("a client of another user was turned away"))
        _ = try anna.status
        // The part of a process that all users may read shows nothing about the keys.
        let pid = try #require(anna.pid)
        let words = try TextFile.text("/proc/\(pid)/cmdline")
        #expect(words.contains("--data") && !words.contains("kibo1"))
    }
}
