/// Parts have the whole id of their transfer in their names. `former_part` marks transfers that an older version began,
/// whose part may have only the end of the id in its name. `final_dev` is not written any more: device numbers change
/// with each mount.
enum Migration0016FormerParts {
    static let sql = """
        ALTER TABLE transfer ADD COLUMN former_part INTEGER NOT NULL DEFAULT 0;
        UPDATE transfer SET former_part = 1 WHERE partial = 1;
        UPDATE transfer SET final_dev = NULL WHERE final_dev IS NOT NULL;
        """
}
