// Words in one language that come with the screens which need them.
import book from "./de/book.json";
import calls from "./de/calls.json";
import doctor from "./de/doctor.json";
import groups from "./de/groups.json";
import settings from "./de/settings.json";
import story from "./de/story.json";
import transfers from "./de/transfers.json";
import welcome from "./de/welcome.json";
import windows from "./de/windows.json";

export default { ...book, ...calls, ...doctor, ...groups, ...settings, ...story, ...transfers, ...welcome, ...windows };
