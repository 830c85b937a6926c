import Basics
import ControlProtocol
import Network
import Runtime

/// What one source (command line or file) says; nil where it says nothing.
public struct ConfigurationLayer: Sendable, Equatable {
    public var listen: SocketAddress?
    public var discoveryPort: UInt16?
    public var interfaces: [String]?
    public var peers: [PeerAddress]?
    public var discovery: Bool?
    public var realmKeyFile: String?
    public var logLevel: LogLevel?
    public var logFormat: LogFormat?

    public init() {}

    /// The values of this layer, and of the one below where this one has none.
    public func over(_ below: ConfigurationLayer) -> ConfigurationLayer {
        var result = below
        result.listen = listen ?? below.listen
        result.discoveryPort = discoveryPort ?? below.discoveryPort
        result.interfaces = interfaces ?? below.interfaces
        result.peers = peers ?? below.peers
        result.discovery = discovery ?? below.discovery
        result.realmKeyFile = realmKeyFile ?? below.realmKeyFile
        result.logLevel = logLevel ?? below.logLevel
        result.logFormat = logFormat ?? below.logFormat
        return result
    }
}

/// Why a configuration file can't be used, for the user.
public struct ConfigurationError: Error, Equatable {
    public let message: String
}

extension ConfigurationLayer {
    static let known: Set<String> = [
        "listen", "discoveryPort", "interfaces", "peers", "discovery", "realmKeyFile", "logLevel", "logFormat",
    ]

    /// Reads JSON with comments, trailing commas, names without quotes and single quotes. A misspelt key is an error, not a surprise.
    public init(json5 bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.init()
        func error(_ text: String) -> ConfigurationError { ConfigurationError(message: "\(file): \(text)") }
        func invalid(_ key: String, _ value: some CustomStringConvertible) -> ConfigurationError {
            error("\(key): \(value) is not valid")
        }
        let content: JSONObject
        do {
            guard case .object(let object) = try JSONParser.parse(JSON5.json(bytes)) else {
                throw error("an object is expected, between { and }")
            }
            content = object
        } catch JSONError.malformed(let text) {
            throw error("not valid JSON5: \(text)")
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(message: "\(file): not valid JSON5")
        }
        if let unknown = content.names.sorted().first(where: { !Self.known.contains($0) }) {
            throw error("unknown key \(unknown); known are \(Self.known.sorted().joined(separator: ", "))")
        }
        /// Nil if the file says nothing, or null.
        func read<Value>(_ key: String, _ meaning: (JSONValue) -> Value?) throws(ConfigurationError) -> Value? {
            guard let value = content[key], !value.isNull else { return nil }
            guard let result = meaning(value) else { throw error("\(key) has a value of the wrong type") }
            return result
        }
        func strings(_ value: JSONValue) -> [String]? {
            guard case .array(let values) = value else { return nil }
            let texts = values.compactMap(\.string)
            return texts.count == values.count ? texts : nil
        }
        if let text = try read("listen", \.string) {
            guard let address = SocketAddress(text) else { throw invalid("listen", text) }
            listen = address
        }
        if let texts = try read("peers", strings) {
            var parsed: [PeerAddress] = []
            for text in texts {
                guard let address = PeerAddress(text) else {
                    throw error("peers: \(text) is not ADDRESS:PORT; the port is 15426 mostly")
                }
                parsed.append(address)
            }
            peers = parsed
        }
        if let text = try read("logLevel", \.string) {
            guard let level = LogLevel(rawValue: text) else { throw invalid("logLevel", text) }
            logLevel = level
        }
        if let text = try read("logFormat", \.string) {
            guard let format = LogFormat(rawValue: text) else { throw invalid("logFormat", text) }
            logFormat = format
        }
        if let number = try read("discoveryPort", \.integer) {
            guard let port = UInt16(exactly: number), port > 0 else { throw invalid("discoveryPort", number) }
            discoveryPort = port
        }
        interfaces = try read("interfaces", strings)
        if interfaces == [] { throw invalid("interfaces", "an empty list") }
        discovery = try read("discovery", \.bool)
        realmKeyFile = try read("realmKeyFile", \.string)
    }
}
