// Writes packages/protocol/schemas from the definitions in packages/protocol/src.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap, note, root } from "./bootstrap.mjs";

const lineMax = 120;

async function writeSchemas() {
  bootstrap();
  const source = join(root, "packages/protocol/dist/parse/schema-files.js");
  const { schemaFiles, schemasReadme } = await import(pathToFileURL(source).href);
  const folder = join(root, "packages/protocol/schemas");
  mkdirSync(folder, { recursive: true });
  for (const [name, schema] of Object.entries(schemaFiles())) {
    writeFileSync(join(folder, `${name}.json`), `${layout(schema)}\n`);
  }
  writeFileSync(join(folder, "README.md"), schemasReadme());
}

/** JSON with everything on one line that fits there. */
function layout(value, indent = "") {
  const oneLine = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || indent.length + oneLine.length <= lineMax) return oneLine;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => inner + layout(item, inner))
    : Object.entries(value).map(([key, child]) => `${inner}${JSON.stringify(key)}: ${layout(child, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return [open, lines.join(",\n"), `${indent}${close}`].join("\n");
}

try {
  await writeSchemas();
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
