// Words in one language that come with the screens which need them.
import book from "./en/book.json";
import calls from "./en/calls.json";
import doctor from "./en/doctor.json";
import groups from "./en/groups.json";
import settings from "./en/settings.json";
import story from "./en/story.json";
import transfers from "./en/transfers.json";
import welcome from "./en/welcome.json";
import windows from "./en/windows.json";

export default { ...book, ...calls, ...doctor, ...groups, ...settings, ...story, ...transfers, ...welcome, ...windows };
