import { type Conversation, foldUri, isSameUri } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { nameOf as nameFrom } from "@plenary/transcript";
import { nameShown } from "./quote.ts";

type Person = { speakerUri: string; name: string };

export type People = ReturnType<typeof peopleOf>;

/** The speakers that an answer may mention, with distinct names. */
export function peopleOf(heard: readonly HistoryEntry[], { conversants = [] }: Conversation) {
  const names = new Map<string, Person>();
  const learn = (speakerUri: string, name: string | undefined) => {
    const key = foldUri(speakerUri);
    const before = names.get(key);
    if (before === undefined || (name ?? "") !== "") {
      names.set(key, { speakerUri, name: name || before?.name || nameFrom(speakerUri, undefined) });
    }
  };
  for (const { sender, name } of heard) learn(sender, name);
  for (const { identification } of conversants) learn(identification.speakerUri, identification.conversationalName);
  const all = [...names.values()];
  const times = new Map<string, number>();
  for (const { name } of all) times.set(normalizedName(name), (times.get(normalizedName(name)) ?? 0) + 1);
  return {
    all,
    /** The name as an answer writes it. */
    nameOf(speakerUri: string): string {
      const { name } = names.get(foldUri(speakerUri)) ?? { name: nameFrom(speakerUri, undefined) };
      const isShared = (times.get(normalizedName(name)) ?? 0) > 1;
      return isShared ? `${nameShown(name)} (${nameShown(speakerUri)})` : nameShown(name);
    },
    /** Several speakers may have the same name. */
    called(name: string): readonly Person[] {
      const wanted = normalizedName(name);
      const exactly = all.filter(
        (one) => normalizedName(one.name) === wanted || isSameUri(one.speakerUri, name.trim()),
      );
      if (exactly.length > 0 || wanted === "") return exactly;
      return all.filter((one) => normalizedName(one.name).split(" ").includes(wanted));
    },
  };
}

export function normalizedName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[@\s]+/gu, " ")
    .trim();
}
