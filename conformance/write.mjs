// Writes requirements.md and cases.json anew from the rules and the cases. Node 20 runs no TypeScript, so esbuild reads it.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

const { outputFiles } = await build({
  entryPoints: [pathOf("published.ts")],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  conditions: ["@plenary/source"],
});
const { publishedCases, requirementsText } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);

writeFileSync(pathOf("requirements.md"), requirementsText());
writeFileSync(pathOf("cases.json"), JSON.stringify(publishedCases(), undefined, 2));
const biome = pathOf("../node_modules/@biomejs/biome/bin/biome");
const { status } = spawnSync(process.execPath, [biome, "format", "--write", pathOf("cases.json")], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
