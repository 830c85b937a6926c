import Basics

/// Which courier is asked for a file that several keep for us: by chance, and those last that gave nothing the last time. So
/// one that doesn't answer costs its time once, and not with each file.
struct CourierChoice {
    private var failures: [AccountID: Instant] = [:]

    /// - Parameter couriers: those that keep the file and can be dialled.
    func choose(among couriers: some Collection<AccountID>) -> AccountID? {
        let never = Instant(nanoseconds: 0)
        return couriers.shuffled().min { failures[$0] ?? never < failures[$1] ?? never }
    }

    /// An attempt has ended.
    /// - Parameter gaveNothing: whether it failed and nothing new came of the file.
    mutating func ended(_ courier: AccountID, gaveNothing: Bool, at now: Instant) {
        failures[courier] = gaveNothing ? now : nil
    }
}
