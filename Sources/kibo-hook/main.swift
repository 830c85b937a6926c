import CLinux
import Glibc

// kibo-hook runs the user's hook command for kibod, and ends it with all that it has started: after its time, when kibod
// has ended, and when the command itself has. kibod starts it: kibo-hook SECONDS SOCKET PROGRAM [ARGUMENT…]
let words = CommandLine.arguments
guard words.count > 3, let seconds = CInt(words[1]), seconds > 0 else {
    let help = "kibo-hook: part of kibod, which starts it\n"
    _ = write(STDERR_FILENO, help, help.utf8.count)
    exit(2)
}

/// The part of this process's environment that a command may have: who the user is, and where the session is.
let known = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LC_TIME",
    "TZ",
    "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
]
var environment: [UnsafeMutablePointer<CChar>?] = known.compactMap { name in
    getenv(name).flatMap { strdup("\(name)=\(String(cString: $0))") }
}
environment += [strdup("KIBO_SOCKET=\(words[2])"), nil]
let arguments = words.dropFirst(3).map { strdup($0) } + [nil]
_ = kibo_give_up_privileges(0)
let home = getenv("HOME").map { String(cString: $0) } ?? "/"
exit(kibo_supervise(words[3], arguments, environment, home, seconds))
