import Basics
import Glibc
import TestSupport
import Testing

@testable import Store

/// An upgrade in a process of its own, which can be killed: the tests' program, started again for ``UpgradeChild`` alone.
/// A daemon can't do it, because the last step is one that only tests have.
enum UpgradingProcess {
    static let steps = Migrations.all + [TestMigration.sql]
    static let variable = "KIBO_TEST_UPGRADE"
    /// The name of the program, by which the disk of tests knows it.
    static var program: String { String(path.split(separator: "/").last ?? "") }

    private static var path: String {
        guard let found = realpath("/proc/self/exe", nil) else { return "" }
        defer { free(found) }
        return String(cString: found)
    }

    /// Makes a database of today's version with messages in it.
    static func fill(_ database: String, messages: Int) throws {
        let connection = try Connection(path: database, purpose: .writer)
        try Migrations.run(on: connection, path: database)
        try connection.execute(TestMigration.filling(messages: messages))
        connection.close()
    }

    /// Starts the upgrade of a database. What the process says goes to the file `output`.
    static func start(
        _ database: String, output: String, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        var variables = ["PATH": "/usr/bin:/bin", variable: database]
        for name in ["LD_LIBRARY_PATH", "TMPDIR"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return try ChildProcess(
            path, ["--testing-library", "swift-testing", "--filter", "UpgradeChild"],
            environment: variables.merging(environment) { $1 }, outputPath: output)
    }

    /// Looks whether a database is sound and has all its messages, with all or nothing of the last step.
    /// - Returns: its version.
    static func check(_ database: String, messages: Int) throws -> Int {
        let connection = try Connection(path: database, purpose: .reader)
        defer { connection.close() }
        let version = try Migrations.version(of: connection)
        #expect(steps.count - 1...steps.count ~= version)
        #expect(
            try connection.integer(SQL(TestMigration.wholeMessages(isTaken: version == steps.count))) == Int64(messages)
        )
        #expect(try connection.integer(SQL("SELECT count(*) FROM recipient")) == Int64(messages))
        let copies = SQL("SELECT count(*) FROM sqlite_schema WHERE name IN ('test_copy', 'message_test')")
        #expect(try connection.integer(copies) == (version < steps.count ? 0 : 2))
        #expect(try connection.first(SQL("PRAGMA integrity_check")) { $0.text(0) } == "ok")
        return version
    }

    /// Takes the steps that a database lacks.
    static func finish(_ database: String) throws {
        let connection = try Connection(path: database, purpose: .writer)
        defer { connection.close() }
        try Migrations.run(steps, on: connection, path: database)
    }
}

@Suite("Upgrade in a process of its own")
struct UpgradeChild {
    @Test("The upgrade", .enabled(if: getenv(UpgradingProcess.variable) != nil))
    func upgrade() throws {
        let path = String(cString: try #require(getenv(UpgradingProcess.variable)))
        let connection = try Connection(path: path, purpose: .writer)
        try Migrations.run(UpgradingProcess.steps, on: connection, path: path) { _ in
            let word = "upgrading\n"
            _ = write(STDERR_FILENO, word, word.utf8.count)
        }
        connection.close()
    }
}
