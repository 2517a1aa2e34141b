// Bundles what Node loads: `@plenary/protocol` is one file instead of 600, the `plenary` command one file and a chunk per
// command instead of 1,500 modules. Bundlers get the modules of `@plenary/protocol`, so that they can leave out parts.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./bootstrap.mjs";

const cli = join(root, "packages/cli/dist");
const protocol = join(root, "packages/protocol/dist");

/** CommonJS modules inside the bundle call `require` for modules of Node. */
const banner = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
const commandOptions = { platform: "node", target: "node20", banner: { js: banner } };

// `validate` runs once for each file in scripts, so it is a file of its own: without the compiled check, which is slower
// than the walk for one document, and without chunks that other commands share. It and the rest pass only plain values.
const validateApart = {
  name: "validate-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/validate\.js$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

await bundle(join(protocol, "bundle"), [
  { entryPoints: { index: join(protocol, "index.js") }, platform: "neutral", target: "es2023" },
]);
await bundle(join(cli, "bundle"), [
  {
    ...commandOptions,
    entryPoints: { plenary: join(cli, "main.js"), "agent-preload": join(cli, "dev/agent-preload.js") },
    // All in one folder: the command finds the preload script beside itself.
    chunkNames: "[name]-[hash]",
    splitting: true,
    // Its binary is beside its own files.
    external: ["better-sqlite3"],
    plugins: [validateApart],
  },
  { ...commandOptions, entryPoints: { validate: join(cli, "validate/validate.js") } },
]);

/** Several builds into one folder, with the licences of the packages inside. */
async function bundle(outdir, parts) {
  rmSync(outdir, { recursive: true, force: true });
  const shared = { outdir, bundle: true, format: "esm", absWorkingDir: root, metafile: true };
  const built = await Promise.all(parts.map((options) => build({ ...shared, ...options })));
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(outdir, "THIRD-PARTY-LICENSES.txt"), licensesOf(inputs));
}

/** The licence of each package whose code is in the bundle. */
function licensesOf(inputs) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map(licenseOf).join("\n\n");
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const names = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "license.md"];
  const file = names.map((each) => join(root, folder, each)).find(existsSync);
  return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}`;
}
