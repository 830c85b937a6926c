// All words in one language: a file for each part of the page.
import app from "./de/app.json";
import book from "./de/book.json";
import chat from "./de/chat.json";
import codes from "./de/codes.json";
import doctor from "./de/doctor.json";
import groups from "./de/groups.json";
import media from "./de/media.json";
import people from "./de/people.json";
import settings from "./de/settings.json";

export default { ...app, ...book, ...chat, ...codes, ...doctor, ...groups, ...media, ...people, ...settings };
