/// Whose parcels this daemon keeps.
public enum CarriageSetting: String, ContractWord {
    /// Those of friends for friends who have named this account.
    case friends
    case off
}

extension Catalogue {
    private static let contact = FieldSpec.required("contact", .account, "the friend")

    static let courierMethods: [MethodSpec] = [
        MethodSpec(
            "courier.list",
            "The friends that may keep messages for you while you are away, and those who let you keep messages for them.",
            result: .fields([
                .required("couriers", .results(.object("Courier")), "the friends that you have named, in that order"),
                .required("carriedFor", .results(.object("Courier")), "the friends who have named you, by name"),
            ])),
        MethodSpec(
            "courier.add",
            "Lets a friend keep messages for you while you are away: friends of both leave them there, sealed, so that the "
                + "courier can't read them. Your friends are told who your couriers are.",
            [contact], effect: .writes, result: .object("Courier"),
            errors: [.notFound, .notFriends, .alreadyExists, .invalid]),
        MethodSpec(
            "courier.remove", "Takes back that a friend keeps messages for you.",
            [contact], effect: .writes, result: .fields([]), errors: [.notFound]),
        MethodSpec(
            "courier.parcels",
            "The parcels that are kept here for friends, the oldest first; their content can't be read.",
            result: .fields([
                .required("parcels", .results(.object("Parcel")), "at most 1,000"),
                .required("bytes", .count, "the bytes of all"),
            ])),
        MethodSpec(
            "courier.drop",
            "Drops the parcels that are kept here from a friend and for them. Whoever left them is told, and sends directly "
                + "as before.",
            [contact], effect: .writes,
            result: .fields([.required("dropped", .count, "how many there were")]), errors: [.notFound]),
    ]
}

/// The settings of couriers.
extension SettingsCatalogue {
    public static let courierCarry = SettingKey<CarriageSetting>(
        "courier.carry", .friends,
        "whose messages are kept here for somebody who is away: those of `friends` for friends who have named you, or `off`"
    )
    public static let courierSend = SettingKey<Bool>(
        "courier.send", true,
        "leave messages for a friend who is away, sealed, with a friend that they have named as their courier")
    public static let courierQuotaBytes = SettingKey<Int64>(
        "courier.quotaBytes", 256 << 20, in: 0...ProtocolLimits.transferBytes,
        "how much is kept for others, in bytes; an eighth of it for one pair of friends")
    public static let courierFileBytes = SettingKey<Int64>(
        "courier.fileBytes", 32 << 20, in: 0...ProtocolLimits.courierFileBytes,
        "the largest file that is kept for others, in bytes; all that is kept for one pair of friends has an eighth of `courier.quotaBytes`"
    )
    public static let courierSendFileBytes = SettingKey<Int64>(
        "courier.sendFileBytes", 16 << 20, in: 0...ProtocolLimits.courierFileBytes,
        "the largest file that is left with couriers, in bytes; larger ones wait until the two of you meet")
    public static let courierKeepDays = SettingKey<Int64>(
        "courier.keepDays", 14, in: 1...ProtocolLimits.courierDays,
        "for how many days it is kept")

    static let courier: [SettingSpec] = [
        courierCarry.spec, courierSend.spec, courierQuotaBytes.spec, courierKeepDays.spec,
        courierFileBytes.spec, courierSendFileBytes.spec,
    ]
}
