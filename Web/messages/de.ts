// Words in one language: a file for each part of the page. Those of large screens that stand apart come with them.
import app from "./de/app.json";
import chat from "./de/chat.json";
import codes from "./de/codes.json";
import media from "./de/media.json";
import people from "./de/people.json";

export default { ...app, ...chat, ...codes, ...media, ...people };
