// The URL of the site, and one of its Content API keys, which are public. `galley key list` shows them.
export const settings = {
  url: "http://127.0.0.1:2368",
  key: "PUT_YOUR_KEY_HERE",
};
