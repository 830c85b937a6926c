import CLinux
import ControlProtocol
import Glibc

/// The way to the gateway, which is started when it does not run.
enum Gateway {
    /// How long a gateway that was just started has to answer.
    private static let patience = Duration.seconds(10)

    /// A connection to the gateway of the daemon that the context means.
    static func connect(_ context: Context) throws -> ControlClient {
        let folder = context.socketPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let path = folder.isEmpty ? "web.sock" : folder.joined(separator: "/") + "/web.sock"
        do throws(ClientError) {
            return try ControlClient.connect(path: path)
        } catch {
            guard case .noDaemon = error else { throw error }
        }
        let program = try program()
        let status = Program.run(program, ["--start", "--socket", context.socketPath])
        guard status == 0 else { throw Failure(.failed, "the gateway did not start") }
        do throws(ClientError) {
            return try ControlClient.connect(path: path, patience: patience)
        } catch {
            throw Failure(
                .failed, "the gateway did not start: \(error)",
                hint: "To see why: \(Shell.quoted(program)) --socket \(Shell.quoted(context.socketPath))")
        }
    }

    /// Where kibo-web is: beside this program, or where it is installed.
    private static func program() throws(Failure) -> String {
        guard let path = Program.find(["kibo-web", "../libexec/kibo/kibo-web", "../lib/kibo/kibo-web"]) else {
            throw Failure(
                .failed, "kibo-web is not installed",
                hint: "It belongs beside kibo or in libexec/kibo; scripts/install puts it there.")
        }
        return path
    }
}

/// The person's browser.
enum Browser {
    /// Why a call can't be opened.
    static let noDisplay = Failure(
        .failed, "there is no display, and a call needs a browser",
        hint: "From another computer: kibo web --print, and see: kibo help web")

    /// Opens the page with xdg-open. All users can read the words of its command line, and of the browser's: the address in them
    /// leads only this user's browser to the page, once, and doesn't tell its name.
    /// - Parameter place: where the page goes; empty for its beginning.
    /// - Returns: false without a display or without xdg-open.
    /// - Throws: ``Failure`` if a gateway of an older version runs, and `ClientError`.
    static func open(_ gateway: ControlClient, at place: String = "") throws -> Bool {
        guard let program else { return false }
        do throws(ClientError) {
            let result = try gateway.call("web.open", ["go": .string(place)])
            return Program.detach(program, [result["link"]?.string ?? ""])
        } catch {
            guard case .refused(let refusal) = error, refusal.code == RPCError.methodNotFoundCode else { throw error }
            throw Failure(
                .failed, "the running web gateway is older than kibo",
                hint: "End it, and try again: pkill -x kibo-web\nWithout that: kibo web --print")
        }
    }

    /// xdg-open; nil where it is not, and without a display.
    static var program: String? {
        guard
            ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { (name: String) in
                getenv(name).map { $0.pointee != 0 } ?? false
            })
        else {
            return nil
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { String($0) + "/xdg-open" }.first { access($0, X_OK) == 0 }
    }
}
