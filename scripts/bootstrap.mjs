// Runs before anything is installed: only Node's own modules may be imported here.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const installStamp = join(root, "node_modules", ".plenary-install");
const page = join(root, "packages", "web");
// Beside the page, so that whoever removes it has it built again; the floor serves nothing it was not asked to.
const pageStamp = join(page, "dist", ".stamp");
const command = join(root, "node_modules", ".bin", "plenary");
const [oldestMajor, oldestMinor] = [20, 19];

/** Leaves a tree in which `dist` is up to date. Throws with a readable message when it cannot. */
export function bootstrap() {
  install();
  build();
}

export function install() {
  assertNodeVersion();
  if (isInstalled()) return;
  note("Installing dependencies ...");
  // Without --include=dev an environment set up for production would leave out the compiler.
  run("npm install --include=dev --no-audit --no-fund", "Installing the dependencies failed.");
  writeFileSync(installStamp, manifestsHash());
}

function build() {
  run(`"${process.execPath}" node_modules/typescript/bin/tsc -b`, "The build failed.");
  buildPage();
  run(`"${process.execPath}" scripts/bundle.mjs`, "Bundling failed.");
  linkCommand();
}

/** The page people see; built again when anything it is made of has changed. */
function buildPage() {
  const hash = pageHash();
  if (existsSync(pageStamp) && readFileSync(pageStamp, "utf8") === hash) return;
  note("Building the page ...");
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const build = `"${process.execPath}" "${vite}" build --logLevel warn packages/web`;
  run(build, "Building the page failed.");
  run(`${build} --config packages/web/vite.widget.config.ts`, "Building the widget failed.");
  writeFileSync(pageStamp, hash);
}

function pageHash() {
  const hash = createHash("sha256");
  const shared = ["protocol", "floor", "transcript", "api", "client"].map((name) =>
    join(root, "packages", name, "src"),
  );
  const files = [join(page, "src"), join(page, "public"), ...shared].flatMap(filesIn);
  const others = ["index.html", "vite.config.ts", "vite.widget.config.ts", "package.json"].map((name) =>
    join(page, name),
  );
  const lock = join(root, "package-lock.json");
  for (const file of [...files, ...others, lock]) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `Plenary needs Node ${oldestMajor}.${oldestMinor} or later; this is ${process.versions.node}. See https://nodejs.org/`,
  );
}

function isInstalled() {
  return existsSync(installStamp) && readFileSync(installStamp, "utf8") === manifestsHash();
}

// Contents, not times: a checkout touches files without changing them. Native modules differ by platform and ABI.
function manifestsHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of manifests().filter(existsSync)) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
}

function manifests() {
  const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name, "package.json"));
  return [".npmrc", "package.json", "package-lock.json"].map((name) => join(root, name)).concat(packages);
}

// npm makes a workspace's command executable and links it at install time; on a fresh clone it is not built by then.
function linkCommand() {
  const main = join(root, "packages/cli/dist/bundle/plenary.js");
  if (!existsSync(main)) return;
  chmodSync(main, 0o755);
  if (existsSync(command) && realpathSync(command) === realpathSync(main)) return;
  run("npm rebuild --ignore-scripts --workspace packages/cli", "Linking the plenary command failed.");
}

// Output goes to stderr: stdout belongs to the command that was asked for.
function run(commandLine, problem) {
  const { status } = spawnSync(commandLine, { cwd: root, shell: true, stdio: ["ignore", process.stderr, "inherit"] });
  if (status !== 0) throw new Error(problem);
}

export function note(text) {
  process.stderr.write(`${text}\n`);
}
