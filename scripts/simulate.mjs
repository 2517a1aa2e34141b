// Runs seeds of the simulation: `npm run simulate -- --seed 7` shows one, step by step; `--seeds 1..100 --minutes 5` runs many.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./bootstrap.mjs";

// Whatever is not ours is found beside the bundle.
const othersStayOutside = {
  name: "others-stay-outside",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@plenary/") ? undefined : { path, external: true },
    );
  },
};
const outfile = join(root, "node_modules/.cache/plenary/simulate.mjs");

mkdirSync(join(root, "node_modules/.cache/plenary"), { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ["packages/server/src/testing/simulation/command.ts"],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["@plenary/source"],
  plugins: [othersStayOutside],
  sourcemap: "inline",
});
const { runSimulations } = await import(pathToFileURL(outfile).href);
process.exitCode = (await runSimulations(process.argv.slice(2), (line) => console.log(line))) ? 0 : 1;
