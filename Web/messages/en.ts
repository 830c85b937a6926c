// Words in one language: a file for each part of the page. Those of the settings and the doctor come with their screens.
import app from "./en/app.json";
import book from "./en/book.json";
import chat from "./en/chat.json";
import codes from "./en/codes.json";
import groups from "./en/groups.json";
import media from "./en/media.json";
import people from "./en/people.json";

export default { ...app, ...book, ...chat, ...codes, ...groups, ...media, ...people };
