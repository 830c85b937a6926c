import Testing

@testable import ControlProtocol

/// A host as the rule sees it.
private struct Host {
    var variables: [String: String] = [:]
    var uid: UInt32 = 1000
    /// Directories and their owners.
    var directories: [String: SocketHost.Directory] = [:]
    var sockets: [String] = []
    /// Sockets that a program takes connections at; nil: all that are there.
    var living: [String]?
    /// What may not be looked at.
    var closed: [String] = []

    private var host: SocketHost {
        SocketHost(
            environment: { variables[$0] }, uid: uid, user: { uid == 0 ? "root" : "anna" },
            directory: { directories[$0] },
            presence: { closed.contains($0) ? .denied : sockets.contains($0) ? .there : .missing },
            isAnswered: { (living ?? sockets).contains($0) })
    }

    func resolve(_ explicit: String? = nil) -> String { SocketPath.resolve(explicit: explicit, on: host) }
    func find(_ explicit: String? = nil) -> String { SocketPath.find(explicit: explicit, on: host) }
    func problem(_ directory: String) -> String? { SocketPath.problem(with: directory, on: host) }
}

@Suite("Where the control socket is")
struct SocketPathTests {
    private let session = "/run/user/1000/kibo/kibod.sock"
    private let last = "/tmp/kibo-1000/kibod.sock"
    private let system = "/run/kibo/anna/kibod.sock"
    private let own = SocketHost.Directory(owner: 1000)

    @Test("The path follows the contract: option, variable, runtime directory, /tmp; an empty one counts as not set")
    func order() {
        var host = Host(variables: ["KIBO_SOCKET": "/k", "XDG_RUNTIME_DIR": "/r"])
        #expect(host.resolve("/e") == "/e" && host.find("/e") == "/e")
        #expect(host.resolve() == "/k" && host.find() == "/k")
        host.variables["KIBO_SOCKET"] = ""
        #expect(host.resolve() == "/r/kibo/kibod.sock" && host.find() == "/r/kibo/kibod.sock")
        for unset in ["", "relative"] {
            host.variables["XDG_RUNTIME_DIR"] = unset
            #expect(host.resolve() == last && host.find() == last)
        }
    }

    @Test("Without XDG_RUNTIME_DIR, as under cron, sudo -u and ssh, both sides take the runtime directory of the login")
    func login() {
        let cron = Host(directories: ["/run/user/1000": own], sockets: [session])
        #expect(cron.resolve() == session && cron.find() == session)
        // It has to be the user's alone.
        for other in [
            SocketHost.Directory(owner: 1001), .init(owner: 1000, mode: 0o755), .init(owner: 1000, isLink: true),
        ] {
            let host = Host(directories: ["/run/user/1000": other], sockets: [session])
            #expect(host.resolve() == last && host.find() == last)
        }
    }

    @Test("A runtime directory of another user, or one that all may write to, doesn't count")
    func foreign() {
        let su = ["XDG_RUNTIME_DIR": "/run/user/1000"]
        let root = Host(variables: su, uid: 0, directories: ["/run/user/1000": own], sockets: [session])
        #expect(root.resolve() == "/run/kibo-0/kibod.sock" && root.find() == "/run/kibo-0/kibod.sock")
        #expect(root.find(session) == session)
        var host = Host(variables: ["XDG_RUNTIME_DIR": "/tmp"], directories: ["/tmp": .init(owner: 1000, mode: 0o1777)])
        #expect(host.resolve() == last)
        host.directories["/tmp"] = .init(owner: 1000, mode: 0o755)
        #expect(host.resolve() == "/tmp/kibo/kibod.sock")
        // One that is not there yet is made by the daemon.
        host.directories = [:]
        #expect(host.resolve() == "/tmp/kibo/kibod.sock")
    }

    @Test("Root looks into no directory where others could be first")
    func root() {
        let planted = "/tmp/kibo-0/kibod.sock"
        var root = Host(uid: 0, directories: ["/tmp/kibo-0": .init(owner: 1001)], sockets: [planted])
        #expect(root.resolve() == "/run/kibo-0/kibod.sock" && root.find() == "/run/kibo-0/kibod.sock")
        root.sockets.append("/run/kibo/root/kibod.sock")
        #expect(root.find() == "/run/kibo/root/kibod.sock")
    }

    @Test(
        "A daemon that was started before there was a runtime directory is found in /tmp, in a directory of the user only"
    )
    func early() {
        var host = Host(
            variables: ["XDG_RUNTIME_DIR": "/run/user/1000"], directories: ["/run/user/1000": own], sockets: [last])
        #expect(host.find() == session)
        for other in [
            SocketHost.Directory(owner: 1001), .init(owner: 1000, mode: 0o750), .init(owner: 1000, isLink: true),
        ] {
            host.directories["/tmp/kibo-1000"] = other
            #expect(host.find() == session)
            #expect(host.problem("/tmp/kibo-1000")?.contains("mode 0700") == true)
        }
        host.directories["/tmp/kibo-1000"] = own
        #expect(host.find() == last && host.problem("/tmp/kibo-1000") == nil)
        #expect(host.problem("/elsewhere") == nil)
        // A socket's file outlives a daemon that was killed.
        host.sockets = [session, last]
        #expect(host.find() == session)
        host.living = [last]
        #expect(host.find() == last)
        host.living = []
        #expect(host.find() == session)
        // Another runtime directory was chosen: the daemon in /tmp may be another one.
        host.variables = ["XDG_RUNTIME_DIR": "/r"]
        #expect(host.find() == "/r/kibo/kibod.sock")
    }

    @Test("A client looks for the system unit's socket where none is at the usual place, and none was named")
    func unit() {
        let usual = "/r/kibo/kibod.sock"
        var host = Host(variables: ["XDG_RUNTIME_DIR": "/r"], sockets: [usual, system])
        #expect(host.find() == usual)
        host.sockets = [system]
        #expect(host.find() == system && host.find("/e") == "/e" && host.resolve() == usual)
        host.variables = [:]
        #expect(host.find() == system)
        host.variables = ["KIBO_SOCKET": "/k"]
        #expect(host.find() == "/k")
    }

    @Test("A place that may not be looked into is told before one where nothing is")
    func denied() {
        var host = Host(
            variables: ["XDG_RUNTIME_DIR": "/run/user/1000"], directories: ["/run/user/1000": own], closed: [system])
        #expect(host.find() == system)
        host.sockets = [session]
        #expect(host.find() == session)
    }
}
