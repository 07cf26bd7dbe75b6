// The value of `ghost` in templates. Eleventy expects a file with one export.
export { read as default } from "../../server.js";
