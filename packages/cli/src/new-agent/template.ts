import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

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

/** What an agent is called: by people, and in places that take plain letters only. */
export type AgentName = { name: string; slug: string };

export const nameMax = 60;
const slugMax = 40;

/** After its folder, unless somebody says more. */
export function nameAfter(folder: string, given?: string): AgentName {
  const slug = slugOf(basename(folder)) || slugOf(given ?? "") || "agent";
  return { name: given ?? titleOf(basename(folder)), slug };
}

/** A name is said aloud and typed after an @, so it is one line of things that can be seen. */
export function isName(text: string): boolean {
  return text === text.trim() && /\p{L}|\p{N}/u.test(text) && [...text].length <= nameMax && !unseen.test(text);
}

const unseen = /\p{C}|\p{Zl}|\p{Zp}/u;

/** As the label of a domain, and as npm has the name of a package. */
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
