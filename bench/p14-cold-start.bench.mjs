// P14: CPU time of a process that imports @plenary/protocol or runs `plenary validate`, against an empty module and an empty script.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { utterance1kb } from "./envelopes.mjs";
import { childrenCpuUs, createFolder, removeFolder } from "./processes.mjs";
import { median, verdict } from "./ratio.mjs";

const targets = { import: 2.3, validate: 3.6 };
const rounds = 15;
// The system counts CPU time in ticks of 10 ms.
const startsPerRound = 5;
const packages = fileURLToPath(new URL("../packages/", import.meta.url));
// Node would read extra certificates at each start, on both sides.
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;

const folder = createFolder();
mkdirSync(join(folder, "node_modules/@plenary"), { recursive: true });
symlinkSync(join(packages, "protocol"), join(folder, "node_modules/@plenary/protocol"));
const files = {
  "empty.mjs": "",
  "import-empty.mjs": 'import "./empty.mjs";',
  "import-protocol.mjs": 'import "@plenary/protocol";',
  "envelope.json": utterance1kb,
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

const sides = {
  "node -e 0": ["-e", "0"],
  "an empty module": ["import-empty.mjs"],
  "@plenary/protocol": ["import-protocol.mjs"],
  "plenary validate": [join(packages, "cli/dist/bundle/plenary.js"), "validate", "envelope.json"],
};
const names = Object.keys(sides);

function measure(args) {
  const [cpuBefore, before] = [childrenCpuUs(), performance.now()];
  for (let start = 0; start < startsPerRound; start += 1) {
    const { status } = spawnSync(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
  }
  const wallMs = (performance.now() - before) / startsPerRound;
  return { wallMs, cpuMs: (childrenCpuUs() - cpuBefore) / startsPerRound / 1000 };
}

const measured = Object.fromEntries(names.map((name) => [name, []]));
for (let round = -1; round < rounds; round += 1) {
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const slice = measure(sides[name]);
    if (round >= 0) measured[name].push(slice);
  }
}
removeFolder(folder);

for (const name of names) {
  const [cpuMs, wallMs] = ["cpuMs", "wallMs"].map((key) => median(measured[name].map((slice) => slice[key])));
  console.log(`# ${name}: ${cpuMs.toFixed(0)} ms of CPU, ${wallMs.toFixed(0)} ms until it has ended`);
}

function judge(figure, of, to) {
  const [cpuRatio, ratio] = ["cpuMs", "wallMs"].map((key) =>
    median(measured[of].map((slice, round) => slice[key] / measured[to][round][key])),
  );
  console.log(`# ${of} against ${to}: CPU x ${cpuRatio.toFixed(2)}, time x ${ratio.toFixed(2)}`);
  verdict(`p14-${figure}`, cpuRatio, targets[figure], cpuRatio <= targets[figure]);
}

judge("import", "@plenary/protocol", "an empty module");
judge("validate", "plenary validate", "node -e 0");
