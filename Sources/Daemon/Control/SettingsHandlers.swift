import ControlProtocol

extension Handlers {
    func listSettings() -> JSONValue {
        ["settings": .array(SettingsCatalogue.all.map { context.settings.setting($0).json })]
    }

    func setting(_ parameters: Parameters) throws -> Setting {
        context.settings.setting(try SettingsCatalogue.setting(parameters.string("key")))
    }

    func setSetting(_ parameters: Parameters) async throws -> Setting {
        let spec = try SettingsCatalogue.setting(parameters.string("key"))
        return try await context.settings.set(spec, to: parameters["value"])
    }
}
