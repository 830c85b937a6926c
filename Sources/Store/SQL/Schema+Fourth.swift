/// The fourth step: couriers also keep what is said in groups.
extension Schema {
    static let fourth = """
        -- The number of the group to whose items the parcel's places belong; NULL: they are those of no group. No reference:
        -- the courier is still told when the group is gone.
        ALTER TABLE parcel_out ADD COLUMN chat INTEGER;
        """
}
