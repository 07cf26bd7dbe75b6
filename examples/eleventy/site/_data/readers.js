// Where readers sign up, sign in and search, with scripts of Ghost: on pages of a site whose address leads to a Galley, too.
const { SITE_URL: url, READERS_KEY: key } = process.env;

export default url && key ? { url, key } : null;
