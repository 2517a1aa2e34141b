// The rules of STYLE.md that a program can check: folders, file names, type names, words, decision numbers, and the paths
// that documents name.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "./bootstrap.mjs";
import { projectFiles } from "./files.mjs";

const filesPerFolderMax = 24;
const filesPerPrefixMax = 2;
/** React names a hook `useX`, so their files share a prefix. */
const prefixesAllowed = new Set(["use"]);

/** At most so often in the sources of all packages, without tests. */
const wordsMax = {
  whoever: 0,
  whom: 4,
  // Rule ids, fields of stored data and what agents understand.
  told: 26,
  mended: 0,
  alike: 0,
  hall: 0,
  vigil: 0,
  berth: 0,
  berths: 0,
  whereabouts: 0,
  petition: 0,
  mishap: 0,
  deed: 0,
  deeds: 0,
  sitting: 0,
  lent: 0,
};

const source = /^packages\/([\w-]+)\/src\/.*\.tsx?$/;
const notSource = /\.test\.tsx?$|\/testing\/|\.d\.ts$/;
const citing = /\.(?:ts|tsx|mjs|md|json)$/;
const decisions = "docs/decisions.md";

const files = projectFiles();
const sources = files.filter((file) => source.test(file) && !notSource.test(file));
const textOf = (file) => readFileSync(join(root, file), "utf8");

function groupsOf(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups];
}

function folderProblems() {
  return groupsOf(sources, dirname).flatMap(([folder, inside]) => {
    const size =
      inside.length > filesPerFolderMax ? [`${folder}: ${inside.length} files, at most ${filesPerFolderMax}`] : [];
    const prefixes = groupsOf(inside, (file) => basename(file).split(/[-.]/)[0])
      .filter(([prefix, sharing]) => sharing.length > filesPerPrefixMax && !prefixesAllowed.has(prefix))
      .map(([prefix, sharing]) => `${folder}: ${sharing.length} files named ${prefix}*, make a folder`);
    return [...size, ...prefixes];
  });
}

function typeProblems() {
  const types = sources.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => ({ file, name })),
  );
  return groupsOf(types, ({ file, name }) => `${source.exec(file)[1]} ${name}`)
    .filter(([, places]) => places.length > 1)
    .map(
      ([key, places]) => `type ${key} is exported ${places.length} times: ${places.map(({ file }) => file).join(", ")}`,
    );
}

function wordProblems() {
  const text = sources.map(textOf).join("\n").toLowerCase();
  return Object.entries(wordsMax).flatMap(([word, max]) => {
    const count = [...text.matchAll(new RegExp(`\\b${word}\\b`, "g"))].length;
    return count > max ? [`"${word}" stands ${count} times in the sources, at most ${max}`] : [];
  });
}

function decisionProblems() {
  if (!existsSync(join(root, decisions))) return [`${decisions} is missing`];
  const known = new Set([...textOf(decisions).matchAll(/\*\*(D\d{1,2}'?)/g)].map(([, id]) => id));
  return files
    .filter((file) => citing.test(file) && !file.startsWith("conformance/fixtures/"))
    .flatMap((file) =>
      [...new Set([...textOf(file).matchAll(/(?<![\w-])(D\d{1,2}'?)(?![\w'])/g)].map(([, id]) => id))]
        .filter((id) => !known.has(id))
        .map((id) => `${file}: ${id} is not in ${decisions}`),
    );
}

/** `server/nemo/session.ts` stands for `packages/server/src/nemo/session.ts`, `test/security/json` for `json.test.ts` there. */
function pathProblems() {
  const spelled = files.flatMap((file) => [file, file.replace(/^packages\/([\w-]+)\/src\//, "$1/")]);
  const isThere = (path) =>
    spelled.some((file) => file === path || file.endsWith(`/${path}`) || file.startsWith(`${path}.`)) ||
    spelled.some((file) => file.startsWith(`${path}/`));
  const isPath = /^(?:(?:test|packages|bench|scripts|docs|examples)\/[\w./-]*\w|[\w./-]+\.(?:ts|tsx|mjs))$/;
  return files
    .filter((file) => file.endsWith(".md") && file !== "CHANGELOG.md")
    .flatMap((file) =>
      [...textOf(file).matchAll(/`([^`\n]+)`/g)]
        .flatMap(([, code]) => code.split(" ").filter((word) => isPath.test(word) && !word.endsWith("/NAME")))
        .filter((path) => !isThere(path))
        .map((path) => `${file}: there is no ${path}`),
    );
}

/** The two tables of ARCHITECTURE.md name every folder, and no other. */
function treeProblems() {
  const rows = textOf("ARCHITECTURE.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const cells = rows.map((line) =>
    line.split("|").map((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)),
  );
  const foldersOf = (name) =>
    new Set(sources.flatMap((file) => new RegExp(`^packages/${name}/src/([^/]+)/`).exec(file)?.[1] ?? []));
  const packages = cells.filter((row) => row.length > 5);
  const serverRows = new Set(cells.filter((row) => row.length <= 5).map(([, [name]]) => name));
  const names = new Set(sources.map((file) => source.exec(file)[1]));
  return [
    ...differences("packages", names, new Set(packages.map(([, [name]]) => name))),
    ...packages.flatMap(([, [name], , , listed]) =>
      differences(`packages/${name}/src`, foldersOf(name), new Set(listed)),
    ),
    ...differences("packages/server/src (second table)", foldersOf("server"), serverRows),
  ];
}

function differences(place, onDisk, listed) {
  const missing = [...onDisk].filter((name) => !listed.has(name)).map((name) => `lacks ${name}`);
  const gone = [...listed].filter((name) => !onDisk.has(name)).map((name) => `names ${name}, which is not there`);
  return [...missing, ...gone].map((problem) => `ARCHITECTURE.md: ${place} ${problem}`);
}

const problems = [
  ...treeProblems(),
  ...pathProblems(),
  ...folderProblems(),
  ...typeProblems(),
  ...wordProblems(),
  ...decisionProblems(),
];
for (const problem of problems) console.log(problem);
const lines = sources.reduce((sum, file) => sum + textOf(file).split("\n").length - 1, 0);
console.log(`${sources.length} source files, ${lines} lines, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
