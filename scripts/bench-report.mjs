// docs/performance.md and its pictures, from what the benchmarks printed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { growthIn, growthPicture, growthRows, growthText } from "./bench-growth.mjs";
import { root } from "./bootstrap.mjs";

/** `results`: one for each file, { file, verdicts: [{ name, ratio, target, passed }], details: [text] }. */
export function writeReport(results) {
  const docs = join(root, "docs");
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(docs, "performance.md"), pageOf(results, new Date().toISOString().slice(0, 10)));
  writeFileSync(join(docs, "performance.svg"), pictureOf(results.flatMap(({ verdicts }) => verdicts)));
  const growth = growthIn(results.flatMap(({ details }) => details));
  if (Object.keys(growth).length > 0) writeFileSync(join(docs, "performance-growth.svg"), growthPicture(growth));
}

// The others say how much more something may cost, these how much of the ideal must be reached.
const isAtLeast = ({ name }) => /^p[2347]-|-resumed$/.test(name);

const boundOf = (verdict) => `${isAtLeast(verdict) ? "at least" : "at most"} ${verdict.target}`;

function pageOf(results, date) {
  const verdicts = results.flatMap((result) => result.verdicts);
  const missed = verdicts.filter(({ passed }) => !passed).length;
  const [{ model } = { model: "unknown CPU" }, ...others] = cpus();
  return [
    "# Performance",
    "",
    `Written by \`npm run bench\` on ${date}: ${others.length + 1} cores, ${model.trim()}, Node ${process.versions.node}.`,
    "Both sides of each ratio were measured in the same run, in turns; absolute figures move from machine to machine.",
    `${verdicts.length - missed} of ${verdicts.length} targets are met.`,
    "",
    "![Each figure against its target](performance.svg)",
    "",
    ...tableOf(verdicts),
    ...results.flatMap(detailsOf),
    "",
  ].join("\n");
}

function tableOf(verdicts) {
  const rows = verdicts.map((verdict) => [
    `\`${verdict.name}\``,
    verdict.ratio,
    boundOf(verdict),
    verdict.passed ? "pass" : "**fail**",
  ]);
  return linesOf([["figure", "measured", "target", ""], ...rows]);
}

/** A table; the first row is its head. */
function linesOf(rows) {
  const [head, ...others] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lineOf = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  return [lineOf(head), lineOf(widths.map((width) => "-".repeat(width))), ...others.map(lineOf)];
}

/** A benchmark says in its first line what it measures. */
function detailsOf({ file, details }) {
  const [first] = readFileSync(file, "utf8").split("\n");
  const growth = growthIn(details);
  const drawn = Object.keys(growth).length === 0 ? [] : [...growthText, "", ...linesOf(growthRows(growth)), ""];
  return ["", `## ${first.replace(/^\/\/ /, "").replace(/\.$/, "")}`, "", ...drawn, "```", ...details, "```"];
}

const shape = { width: 760, row: 22, label: 190, value: 150, top: 34, mostRatio: 2 };

/** Bars of measured / target: the line in the middle is the target, whichever side of it is the good one. */
function pictureOf(verdicts) {
  const height = shape.top + verdicts.length * shape.row + 12;
  const barsWidth = shape.width - shape.label - shape.value;
  const targetAt = shape.label + barsWidth / shape.mostRatio;
  const bars = verdicts.map((verdict, index) => barOf(verdict, shape.top + index * shape.row, barsWidth));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${shape.width} ${height}" role="img" aria-label="Each figure against its target">
<style>
  svg { --ink: #1f2328; --faint: #d0d7de; --pass: #1a7f37; --fail: #cf222e; background: #ffffff; font: 12px system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #30363d; --pass: #3fb950; --fail: #f85149; background: #0d1117; } }
  text { fill: var(--ink); } .pass { fill: var(--pass); } .fail { fill: var(--fail); } .track { fill: var(--faint); opacity: 0.4; }
  line { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
</style>
<text x="${targetAt}" y="20" text-anchor="middle">target</text>
${bars.join("\n")}
<line x1="${targetAt}" y1="${shape.top - 8}" x2="${targetAt}" y2="${height - 8}"/>
</svg>
`;
}

function barOf(verdict, y, barsWidth) {
  const { name, ratio, target, passed } = verdict;
  const part = Math.min(Number(ratio) / Number(target) / shape.mostRatio, 1);
  const length = Math.max(1, Math.round(part * barsWidth));
  const valueAt = shape.label + barsWidth + 8;
  return [
    `<text x="${shape.label - 8}" y="${y + 12}" text-anchor="end">${name}</text>`,
    `<rect class="track" x="${shape.label}" y="${y}" width="${barsWidth}" height="15" rx="2"/>`,
    `<rect class="${passed ? "pass" : "fail"}" x="${shape.label}" y="${y}" width="${length}" height="15" rx="2"/>`,
    `<text x="${valueAt}" y="${y + 12}">${ratio}, ${boundOf(verdict)}${passed ? "" : " ✗"}</text>`,
  ].join("");
}
