import Basics
import ControlProtocol

extension Handlers {
    nonisolated static let settingsMethods: [String: Method] = [
        "settings.list": { handlers, _, _ in handlers.listSettings() },
        "settings.get": { handlers, parameters, _ in try handlers.setting(parameters).json },
        "settings.set": { handlers, parameters, _ in try await handlers.setSetting(parameters).json },
    ]

    func listSettings() -> JSONValue {
        ["settings": .array(SettingsCatalogue.all.map { context.settings.setting($0).json })]
    }

    func setting(_ parameters: Parameters) throws -> Setting {
        context.settings.setting(try SettingsCatalogue.setting(parameters.string("key")))
    }

    func setSetting(_ parameters: Parameters) async throws -> Setting {
        let spec = try SettingsCatalogue.setting(parameters.string("key"))
        if spec == SettingsCatalogue.filesDownloadDirectory.spec, let directory = parameters["value"]?.string,
            spec.problem(with: .string(directory)) == nil
        {
            try await checkDownloadDirectory(directory)
        }
        return try await context.settings.set(spec, to: parameters["value"])
    }

    /// Better now than when the first file can't be taken. What is not there yet is made then.
    private func checkDownloadDirectory(_ directory: String) async throws {
        let destination = await withCheckedContinuation { continuation in
            context.files.look(at: directory) { continuation.resume(returning: $0) }
        }
        guard destination.isWritable else {
            throw ControlError(
                .invalid, "no files can be put into \(ForeignText.escaped(directory))",
                hint: .giveDirectory, field: "value")
        }
    }
}
