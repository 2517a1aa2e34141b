// Writes docs/api.md from the definitions in packages/api/src.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap, note, root } from "./bootstrap.mjs";

try {
  bootstrap();
  const source = join(root, "packages/api/dist/reference-tables.js");
  const { referenceTables } = await import(pathToFileURL(source).href);
  writeFileSync(join(root, "docs/api.md"), referenceTables());
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
