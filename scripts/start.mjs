import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap, note, root } from "./bootstrap.mjs";

const defaultArguments = ["serve"];

try {
  bootstrap();
} catch (error) {
  note(error.message);
  process.exit(1);
}

// The command runs in this very process, so a signal sent to `npm start`'s child reaches it.
const main = join(root, "packages/cli/dist/bundle/plenary.js");
process.argv = [process.execPath, main, ...defaultArguments, ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
