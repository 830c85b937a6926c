// All words in one language: a file for each part of the page.
import app from "./en/app.json";
import book from "./en/book.json";
import chat from "./en/chat.json";
import codes from "./en/codes.json";
import doctor from "./en/doctor.json";
import groups from "./en/groups.json";
import media from "./en/media.json";
import people from "./en/people.json";
import settings from "./en/settings.json";

export default { ...app, ...book, ...chat, ...codes, ...doctor, ...groups, ...media, ...people, ...settings };
