import { readFile } from "node:fs/promises";
import type { AgentName } from "./name.ts";

const template = new URL("../../template/", import.meta.url);

/** By its name in the template, what it is called in the new folder: npm packs no .gitignore. */
const files: Record<string, string> = {
  "agent.js": "agent.js",
  "agent.test.js": "agent.test.js",
  "README.md": "README.md",
  gitignore: ".gitignore",
};

export type Dependencies = Readonly<Record<string, string>>;

/** Every file of a new agent, by its name. The template is an agent itself: only its names are replaced. */
export async function agentFiles(named: AgentName, dependencies: Dependencies): Promise<Map<string, string>> {
  const made = new Map([["package.json", packageFile(named, dependencies)]]);
  for (const [from, to] of Object.entries(files)) {
    made.set(to, renamed(await readFile(new URL(from, template), "utf8"), named, to));
  }
  return made;
}

function renamed(text: string, { name, slug }: AgentName, file: string): string {
  // In code a name stands in quotes, and may have some of its own.
  const [from, to] = file.endsWith(".js") ? ['"My Agent"', JSON.stringify(name)] : ["My Agent", escaped(name)];
  const year = String(new Date().getFullYear());
  return text.replaceAll(from, () => to).replaceAll("tag:my-agent.example,2026:", `tag:${slug}.example,${year}:`);
}

/** In markdown it is a name and nothing else. */
function escaped(name: string): string {
  return name.replaceAll(/[\\`*_[\]<>#|&]/gu, "\\$&");
}

function packageFile({ slug }: AgentName, dependencies: Dependencies): string {
  const made = {
    name: slug,
    version: "0.1.0",
    private: true,
    type: "module",
    main: "agent.js",
    engines: { node: ">=20.19" },
    scripts: { start: "node agent.js", dev: "node --watch agent.js", test: "node --test" },
    dependencies,
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}
