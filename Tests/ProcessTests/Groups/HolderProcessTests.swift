import Basics
import ControlProtocol
import TestSupport
import Testing

/// Goal: the sender of a group's file sees how many members have it, and not only that one of them has.
@Suite("The members that have a group's file", .serialized)
struct HolderProcessTests {
    /// The only transfer that a daemon has, as JSON.
    private func shown(at daemon: DaemonProcess) throws -> JSONValue? {
        try daemon.call("transfer.list", [:])["transfers"]?.array?.first
    }

    private func fetch(at daemon: DaemonProcess) throws {
        let offered = try Patience.until("the offer at \(daemon.name)", report: daemon.logTail) {
            try shown(at: daemon)?["id"]?.string
        }
        let inbox = try daemon.directory.makeDirectory("inbox")
        _ = try daemon.call("transfer.accept", ["id": .string(offered), "path": .string(inbox)])
        let done = try FileProcessTests.waitForEnd(offered, at: daemon)
        #expect(done.state == .done, "\(done)")
    }

    @Test("A file that one member has and another never fetched is not shown as if all had it")
    func holders() throws {
        let scene = try GroupScene(["Anna", "Bert", "Cleo"])
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        try scene.share("the plan", as: "plan.txt", from: anna)
        func wait(for count: Int64) throws {
            try Patience.until("\(count) of 2 to have it", report: anna.logTail) {
                let transfer = try shown(at: anna)
                return transfer?["membersDone"]?.integer == count && transfer?["members"]?.integer == 2
            }
        }
        try wait(for: 0)
        try fetch(at: bert)
        try wait(for: 1)
        #expect(try shown(at: anna)?["state"]?.string == "done", "other members can get the file without the author")
        #expect(try anna.kibo("transfers").text.contains("1 of 2 have it"))
        // Bert sees a received file, and not how many members have it.
        #expect(try shown(at: bert)?["members"] == nil)
        // Anna knows of those whom she gave it: Bert is not to give it, too.
        bert.kill()
        try fetch(at: cleo)
        try wait(for: 2)
        #expect(try !anna.kibo("transfers").text.contains("have it"))
    }
}
