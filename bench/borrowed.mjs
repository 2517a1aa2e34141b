// Packages that the product brings along. The ideal sides use the same ones, found where the product finds them.
import { createRequire } from "node:module";

const ofSdk = createRequire(new URL("../packages/sdk/package.json", import.meta.url));
const ofServer = createRequire(new URL("../packages/server/package.json", import.meta.url));

export const { Pool } = ofSdk("undici");
export const Database = ofServer("better-sqlite3");
