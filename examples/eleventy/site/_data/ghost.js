// What templates know as `ghost`. Eleventy wants a file with one export.
export { read as default } from "../../server.js";
