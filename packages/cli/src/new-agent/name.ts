import { basename } from "node:path";

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
