// Words in one language: a file for each part of the page. Those of large screens that stand apart come with them.
import app from "./en/app.json";
import chat from "./en/chat.json";
import codes from "./en/codes.json";
import media from "./en/media.json";
import people from "./en/people.json";

export default { ...app, ...chat, ...codes, ...media, ...people };
