import { GhostCMSLoaderCollection } from "astro-ghostcms-loader";

// The loader takes the key from the environment variable GHOST_CONTENT_API_KEY.
export const collections = {
  ...GhostCMSLoaderCollection({ ghostUrl: process.env.GHOST_URL ?? "" }),
};
