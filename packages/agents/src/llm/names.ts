import { type Conversation, foldUri } from "@plenary/protocol";

const nameCharsMax = 40;

/** Names are chosen by whoever bears them: what could look like a line, a role or a mark of ours is left out. */
export function plainName(text: string): string {
  const plain = text.replaceAll(/[^\p{L}\p{M}\p{N}.'_-]+/gu, " ").trim();
  return [...plain].slice(0, nameCharsMax).join("").trim();
}

/** What each speaker is called before the model. No two have the same name, and nobody has the model's own. */
export function namesIn({ conversants = [] }: Conversation, own: string): (speakerUri: string) => string {
  const given = new Map<string, string>();
  const taken = new Set([own.toLowerCase()]);
  const nameFor = (speakerUri: string, wish: string): string => {
    const known = given.get(foldUri(speakerUri));
    if (known !== undefined) return known;
    const base = plainName(wish) || plainName(speakerUri.split(/[:/,#?]/u).at(-1) ?? "") || "Somebody";
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base} ${number}`;
    taken.add(name.toLowerCase());
    given.set(foldUri(speakerUri), name);
    return name;
  };
  for (const { identification } of conversants) nameFor(identification.speakerUri, identification.conversationalName);
  return (speakerUri) => nameFor(speakerUri, "");
}
