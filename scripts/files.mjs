import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bootstrap.mjs";

const notOurs = new Set(["node_modules", "dist", "coverage", ".git"]);

/** Every file of the project, as sorted paths from the root with forward slashes. */
export function projectFiles(folder = "") {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => !notOurs.has(name));
  return entries
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? projectFiles(path) : [path];
    })
    .sort();
}
