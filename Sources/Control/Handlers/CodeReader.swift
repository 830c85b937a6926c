import Basics
import ControlProtocol
import Media
import Reactor
import Runtime

/// Looks for codes in pictures that clients hand over: one picture of each client at a time, and a few in all.
@ReactorActor package final class CodeReader {
    private let environment: Environment
    private let media: MediaProgram
    private var readers: Set<ObjectIdentifier> = []

    package init(environment: Environment, media: MediaProgram) {
        self.environment = environment
        self.media = media
    }

    /// - Parameters:
    ///   - luma: the greys in base64.
    ///   - client: the connection that asks.
    func texts(
        in luma: String, size: (width: Int64, height: Int64), for client: any Caller
    ) async throws -> [String] {
        let reader = ObjectIdentifier(client)
        guard !readers.contains(reader), readers.count < ControlLimits.codePictures else {
            throw ControlError(.busy, "another picture is being looked through for codes")
        }
        readers.insert(reader)
        defer { readers.remove(reader) }
        let media = media
        return try await environment.workers.codes.run {
            guard let greys = Base64.decode(luma), Int64(greys.count) == size.width * size.height else {
                throw ControlError(.invalid, "luma must have a byte for each pixel, in base64", field: "luma")
            }
            do throws(MediaProgram.Failure) {
                return try media.codes(in: greys, size: size, until: SystemClocks().now + MediaLimits.codesAnswer)
            } catch {
                throw ControlError(.unsupported, "codes can't be read here: \(error.detail)")
            }
        }
    }
}
