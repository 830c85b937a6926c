import Basics
import ControlProtocol
import TestSupport

/// A measurement that makes no sense, such as one that lost a message.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
}

/// Two daemons that are friends, on a loopback network of their own.
struct Pair {
    let sender: DaemonProcess
    let receiver: DaemonProcess
    let conversation: String

    /// - Parameter counters: of system calls, for the sender and the receiver.
    init(counters: (sender: CallCounter, receiver: CallCounter)? = nil) throws {
        // Logging is off the measured path, as it is by default.
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .notice)
        options.wrapper = counters?.sender.wrapper ?? []
        sender = try DaemonProcess.launch(name: "Sender", options: options)
        options.wrapper = counters?.receiver.wrapper ?? []
        receiver = try DaemonProcess.launch(name: "Receiver", options: options)
        try sender.befriend(receiver)
        conversation = try sender.conversation(with: receiver)
    }

    /// A connection to the receiver that hears of these events from now on.
    func listener(_ types: [String]) throws -> ControlClient {
        let client = try receiver.connect()
        try client.call("events.subscribe", ["types": .strings(types), "ephemeral": false])
        return client
    }
}
