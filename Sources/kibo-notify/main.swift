import CLinux
import CNotify
import ControlProtocol
import Glibc

// kibo-notify shows notifications for kibod, which starts it when there is one to show and exchanges lines of JSON with it
// over its standard input and output: GLib and the bus stay out of the process that has the keys. It ends with its input.
_ = kibo_give_up_privileges(1)
signal(SIGPIPE, SIG_IGN)
if let problem = kibo_notify_open("Kibo", { what, tag, text in Orders.told(what, tag, text) }) {
    Orders.say(["said": "failed", "why": .string(String(cString: problem))])
    exit(3)
}
_ = fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK)
Orders.say(["said": "ready"])
kibo_notify_run(STDIN_FILENO) { Orders.read() }
