// For sign-up, sign-in and search with Ghost's scripts, if the proxy of the site forwards their paths to Galley.
const { SITE_URL: url, READERS_KEY: key } = process.env;

export default url && key ? { url, key } : null;
