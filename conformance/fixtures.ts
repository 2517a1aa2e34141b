import { readdirSync, readFileSync } from "node:fs";

const official = new URL("./fixtures/official/", import.meta.url);

export type Sample = {
  /** Below fixtures/official. */
  file: string;
  kind: "envelope" | "manifest" | "dialogEvent";
  /** The version of its folder. */
  published: string;
  text: string;
};

const kinds: Record<string, Sample["kind"]> = {
  "conversation-envelope": "envelope",
  "assistant-manifest": "manifest",
  "dialog-event": "dialogEvent",
};

/** Every official sample of every version. */
export const samples: readonly Sample[] = readdirSync(official, { recursive: true, encoding: "utf8" })
  .filter((file) => file.includes("sample-json/"))
  .sort()
  .map((file) => {
    const [folder = "", published = ""] = file.split("/");
    const kind = kinds[folder];
    if (kind === undefined) throw new Error(`${file} is of no known kind`);
    return { file, kind, published, text: readFileSync(new URL(file, official), "utf8") };
  });
