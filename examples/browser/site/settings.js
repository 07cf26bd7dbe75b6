// Where the site is, and a Content API key of it, which is public. `galley key list` shows it.
export const settings = {
  url: "http://127.0.0.1:2368",
  key: "PUT_YOUR_KEY_HERE",
};
