extension Catalogue {
    private static let key = FieldSpec.required("key", .token(maximumBytes: ProtocolLimits.tokenBytes), "its key")

    static let settingsMethods: [MethodSpec] = [
        MethodSpec(
            "settings.list", "All settings of this version.",
            whileLocked: .answered,
            result: .fields([.required("settings", .results(.object("Setting")), "in the order of the table below")])),
        MethodSpec(
            "settings.get", "One setting.", [key], whileLocked: .answered, result: .object("Setting"),
            errors: [.notFound]),
        MethodSpec(
            "settings.set", "Changes a setting; it is in force when this answers.",
            [key, .required("value", .nullable(.value), "the value; null restores the default")],
            setsSetting: true, result: .object("Setting"), errors: [.notFound, .invalid]),
    ]
}
