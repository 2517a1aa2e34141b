import { randomBytes } from "node:crypto";
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
  const year = String(new Date().getFullYear());
  // Two agents made in folders of the same name are two speakers (D39).
  const speakerUri = `tag:${named.slug}.example,${year}:${randomBytes(6).toString("hex")}`;
  for (const [from, to] of Object.entries(files)) {
    const text = await readFile(new URL(from, template), "utf8");
    made.set(to, renamed(text, named, to).replaceAll("tag:my-agent.example,2026:1", speakerUri));
  }
  return made;
}

function renamed(text: string, { name }: AgentName, file: string): string {
  // In code a name stands in quotes, and may have some of its own.
  const [from, to] = file.endsWith(".js") ? ['"My Agent"', JSON.stringify(name)] : ["My Agent", escaped(name)];
  return text.replaceAll(from, () => to);
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
