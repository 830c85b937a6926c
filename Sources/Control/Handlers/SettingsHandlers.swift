import Basics
import ControlProtocol
import Reactor

/// Reads and changes settings.
@ReactorActor struct SettingsHandlers: MethodArea {
    let base: MethodBase
    let needsAccount = false
    let files: any FileInspector

    var methods: [String: Method] {
        [
            "settings.list": { _, _ in list() },
            "settings.get": { parameters, _ in try get(parameters).json },
            "settings.set": { parameters, _ in try await set(parameters).json },
        ]
    }

    private func list() -> JSONValue {
        ["settings": .array(SettingsCatalogue.all.map { settings.setting($0).json })]
    }

    private func get(_ parameters: Parameters) throws -> Setting {
        settings.setting(try SettingsCatalogue.setting(parameters.string("key")))
    }

    private func set(_ parameters: Parameters) async throws -> Setting {
        let spec = try SettingsCatalogue.setting(parameters.string("key"))
        if spec == SettingsCatalogue.filesDownloadDirectory.spec, let directory = parameters["value"]?.string,
            spec.problem(with: .string(directory)) == nil
        {
            try await checkDownloadDirectory(directory)
        }
        if spec == SettingsCatalogue.filesFolders.spec, let rules = parameters["value"]?.array {
            let folders = rules.compactMap { $0.string.flatMap(FolderRule.init)?.folder }
            let (files, known) = (
                files, Set(settings[SettingsCatalogue.filesFolders].compactMap { FolderRule($0)?.folder })
            )
            // A folder that is away for the moment stays in the list.
            let bad = try await workers.files.run {
                folders.first { !known.contains($0) && !files.folder($0).isWritable }
            }
            if let bad {
                throw ControlError(
                    .invalid, "there is no folder \(ForeignText.escaped(bad)) that files can be put into",
                    parameters: ["path": .string(bad)], field: "value")
            }
        }
        return try await settings.set(spec, to: parameters["value"])
    }

    /// Checks a download directory, so that an unusable one is refused now rather than with the first file. A missing
    /// one is made then.
    private func checkDownloadDirectory(_ directory: String) async throws {
        let destination = await withCheckedContinuation { continuation in
            files.look(at: directory) { continuation.resume(returning: $0) }
        }
        guard destination.isWritable else {
            throw ControlError(
                .invalid, "no files can be put into \(ForeignText.escaped(directory))",
                hint: .giveDirectory, parameters: ["path": .string(directory)], field: "value")
        }
    }
}
