import ControlProtocol
import Glibc
import HTTP
import LocalSend

/// The program `kibo-localsend give`: hands files or a text to one device for the daemon, or asks a device who it is. The daemon
/// starts it, hands it the files and sockets that are connected to the device, and exchanges lines of JSON with it over its
/// standard input and output. It ends with them.
public enum GiverProgram {
    /// The word that makes it of kibo-localsend.
    public static let word = "give"

    /// Does the one errand that comes, and ends the process.
    public static func run() -> Never {
        signal(SIGPIPE, SIG_IGN)
        var kind = stat()
        guard fstat(STDIN_FILENO, &kind) == 0, kind.st_mode & S_IFMT == S_IFSOCK else { exit(2) }
        let channel = GiverChannel()
        guard case .begin(let errand) = channel.wait(), let giver = Giver(errand, channel) else { exit(1) }
        // The device has said nothing to it yet.
        guard confine() else { exit(1) }
        giver.run()
        exit(0)
    }

    private static func confine() -> Bool {
        _ = try? JSONParser.parse("{}")
        return Confinement.close(descriptors: 64, pretendsToConnect: true)
    }
}
