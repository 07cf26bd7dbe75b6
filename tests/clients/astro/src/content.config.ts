import { GhostCMSLoaderCollection } from "astro-ghostcms-loader";

// The key is in the environment, as GHOST_CONTENT_API_KEY: the loader takes it from there.
export const collections = {
  ...GhostCMSLoaderCollection({ ghostUrl: process.env.GHOST_URL ?? "" }),
};
