// Words in one language: a file for each part of the page. Those of the settings and the doctor come with their screens.
import app from "./de/app.json";
import book from "./de/book.json";
import chat from "./de/chat.json";
import codes from "./de/codes.json";
import groups from "./de/groups.json";
import media from "./de/media.json";
import people from "./de/people.json";

export default { ...app, ...book, ...chat, ...codes, ...groups, ...media, ...people };
