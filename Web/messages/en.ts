// All words in one language: a file for each part of the page.
import app from "./en/app.json";
import chat from "./en/chat.json";

export default { ...app, ...chat };
