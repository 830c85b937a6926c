import Basics
import ControlProtocol
import Glibc
import TestSupport

/// A measurement that is void, such as one that lost a message.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
}

/// Two daemons that are friends, on a loopback network of their own.
struct Pair {
    let sender: DaemonProcess
    let receiver: DaemonProcess
    let conversation: String

    /// - Parameters:
    ///   - counters: the counters of system calls for the sender and the receiver.
    ///   - preload: the path of a library that both load first.
    init(counters: (sender: CallCounter, receiver: CallCounter)? = nil, preload: String? = nil) throws {
        // The daemons log little, as they do by default, so logging is off the measured path.
        var options = DaemonProcess.Options.measured(discoveryPort: try FreePort.udp())
        if let preload {
            options.environment["LD_PRELOAD"] = preload
            options.environment["KIBO_SYNC_MICROSECONDS"] = getenv("KIBO_SYNC_MICROSECONDS").map { String(cString: $0) }
        }
        options.wrapper = counters?.sender.wrapper ?? []
        let sender = try DaemonProcess.launch(name: "Sender", options: options)
        options.wrapper = counters?.receiver.wrapper ?? []
        try self.init(sender, try DaemonProcess.launch(name: "Receiver", options: options))
    }

    /// Makes friends of two daemons that run.
    init(_ sender: DaemonProcess, _ receiver: DaemonProcess) throws {
        (self.sender, self.receiver) = (sender, receiver)
        try sender.befriend(receiver)
        // A stream writes in a minute what a friend may write in days.
        for daemon in [sender, receiver] { try daemon.set("messages.dailyBytes", to: .integer(4 << 40)) }
        conversation = try sender.conversation(with: receiver)
    }

    /// Makes a connection to the receiver that gets these events from now on.
    func listener(_ types: [String]) throws -> ControlClient {
        let client = try receiver.connect()
        try client.call("events.subscribe", ["types": .strings(types), "ephemeral": false])
        return client
    }
}
