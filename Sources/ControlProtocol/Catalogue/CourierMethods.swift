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
            "The friends who may keep messages for you while you are away, and those who let you keep messages for "
                + "them.",
            result: .fields([
                .required(
                    "couriers", .results(.object("Courier")),
                    "the friends you have named, in the order you named them"),
                .required("carriedFor", .results(.object("Courier")), "the friends who have named you, sorted by name"),
            ])),
        MethodSpec(
            "courier.add",
            "Lets a friend keep messages for you while you are away: your mutual friends leave them there, sealed, so "
                + "that the courier can't read them. Your friends are told who your couriers are.",
            [contact], effect: .writes, result: .object("Courier"),
            errors: [.notFound, .notFriends, .alreadyExists, .invalid]),
        MethodSpec(
            "courier.remove", "Stops a friend from keeping messages for you.",
            [contact], effect: .writes, result: .fields([]), errors: [.notFound]),
        MethodSpec(
            "courier.parcels",
            "The parcels that are kept here for friends, the oldest first. Their content can't be read here.",
            result: .fields([
                .required("parcels", .results(.object("Parcel")), "at most 1,000"),
                .required("bytes", .count, "their size in all"),
            ])),
        MethodSpec(
            "courier.drop",
            "Drops the parcels kept here that come from a friend or are for them. The senders are told, and send "
                + "directly as before.",
            [contact], effect: .writes,
            result: .fields([.required("dropped", .count, "how many were dropped")]), errors: [.notFound]),
    ]
}

/// The settings of couriers.
extension SettingsCatalogue {
    public static let courierCarry = SettingKey<CarriageSetting>(
        "courier.carry", .friends,
        "whose messages are kept here for somebody who is away: those of `friends`, for friends who have named you as "
            + "a courier, or nobody's (`off`)")
    public static let courierSend = SettingKey<Bool>(
        "courier.send", true,
        "leave messages for a friend who is away, sealed, with a friend that they have named as their courier")
    public static let courierQuotaBytes = SettingKey<Int64>(
        "courier.quotaBytes", 256 << 20, in: 0...ProtocolLimits.transferBytes,
        "how much is kept for others, in bytes: at most half of it for one friend, a quarter from one friend, and an "
            + "eighth from one for another")
    public static let courierFileBytes = SettingKey<Int64>(
        "courier.fileBytes", 32 << 20, in: 0...ProtocolLimits.courierFileBytes,
        "the largest file that is kept for others, in bytes; everything kept for one pair of friends gets at most an "
            + "eighth of `courier.quotaBytes`")
    public static let courierSendFileBytes = SettingKey<Int64>(
        "courier.sendFileBytes", 16 << 20, in: 0...ProtocolLimits.courierFileBytes,
        "the largest file that is left with couriers, in bytes; larger ones wait until the two of you meet")
    public static let courierKeepDays = SettingKey<Int64>(
        "courier.keepDays", 14, in: 1...ProtocolLimits.courierDays,
        "how many days messages are kept for others")

    static let courier: [SettingSpec] = [
        courierCarry.spec, courierSend.spec, courierQuotaBytes.spec, courierKeepDays.spec,
        courierFileBytes.spec, courierSendFileBytes.spec,
    ]
}
