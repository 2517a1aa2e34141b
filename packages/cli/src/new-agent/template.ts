import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

/** Template file to file in the new folder. npm packs no .gitignore, so the template's has another name. */
const files: Record<string, string> = {
  "agent.js": "agent.js",
  "agent.test.js": "agent.test.js",
  "README.md": "README.md",
  gitignore: ".gitignore",
};

export type Dependencies = Readonly<Record<string, string>>;

/** All files of a new agent, by name. The template is a working agent; only its names are replaced. */
export async function agentFiles(named: AgentName, dependencies: Dependencies): Promise<Map<string, string>> {
  const made = new Map([["package.json", packageFile(named, dependencies)]]);
  const year = String(new Date().getFullYear());
  // Agents created in folders of the same name need different speakerUris (D39).
  const speakerUri = `tag:${named.slug}.example,${year}:${randomBytes(6).toString("hex")}`;
  const template = new URL("template/", import.meta.resolve("@plenary/cli/package.json"));
  for (const [from, to] of Object.entries(files)) {
    const text = await readFile(new URL(from, template), "utf8");
    made.set(to, renamed(text, named, to).replaceAll("tag:my-agent.example,2026:1", speakerUri));
  }
  return made;
}

function renamed(text: string, { name }: AgentName, file: string): string {
  // In code the name is a string literal, so it is quoted as JSON.
  const [from, to] = file.endsWith(".js") ? ['"My Agent"', JSON.stringify(name)] : ["My Agent", escaped(name)];
  return text.replaceAll(from, () => to);
}

/** Escapes Markdown. */
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

/** An agent's display name, and its slug for URIs and package names. */
export type AgentName = { name: string; slug: string };

export const nameMax = 60;
const slugMax = 40;

/** Derived from the folder, unless a name is given. */
export function nameAfter(folder: string, given?: string): AgentName {
  const slug = slugOf(basename(folder)) || slugOf(given ?? "") || "agent";
  return { name: given ?? titleOf(basename(folder)), slug };
}

/** A name is typed after an @, so it is one line of visible characters. */
export function isName(text: string): boolean {
  return text === text.trim() && /\p{L}|\p{N}/u.test(text) && [...text].length <= nameMax && !unseen.test(text);
}

const unseen = /\p{C}|\p{Zl}|\p{Zp}/u;

/** Valid as a domain label and as an npm package name. */
function slugOf(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const label = plain.replaceAll(/[^a-z\d]+/gu, "-").slice(0, slugMax);
  return label.replaceAll(/^-+|-+$/gu, "");
}

function titleOf(text: string): string {
  const words = text
    .replaceAll(/[\p{C}\p{Z}_.-]+/gu, " ")
    .trim()
    .split(" ");
  const title = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
  const short = [...title].slice(0, nameMax).join("").trim();
  return isName(short) ? short : "Agent";
}
