import { htmlOf, jsonlOf, markdownOf, mermaidOf, type Transcript } from "@plenary/floor";
import { type Feature, isSameUri, type Token } from "@plenary/protocol";
import type { Remembered } from "../recall.ts";
import type { Frame, History } from "./history.ts";
import { lightened } from "./notes.ts";
import type { Format } from "./request.ts";
import { counted } from "./summary.ts";

const bytesMax = 262_144;

const formats: Readonly<
  Record<Format, { mimeType: string; ending: string; title: string; write: (of: Transcript) => string }>
> = {
  markdown: { mimeType: "text/markdown", ending: "md", title: "Markdown", write: markdownOf },
  mermaid: { mimeType: "text/vnd.mermaid", ending: "mmd", title: "a Mermaid diagram", write: mermaidOf },
  jsonl: { mimeType: "application/jsonl", ending: "jsonl", title: "JSON lines", write: jsonlOf },
  html: { mimeType: "text/html", ending: "html", title: "a web page", write: htmlOf },
};

export const formatNames: readonly string[] = Object.keys(formats);

export type Exported = { text: string; feature: Feature };

type View = Pick<Frame, "conversation" | "self"> & { history: History; isPrivate: boolean };

/** The transcript as those who hear the answer may have it; its oldest lines give way when it grows too large. */
export function exportOf(format: Format, told: readonly Remembered[], view: View): Exported | undefined {
  const { mimeType, ending, title, write } = formats[format];
  const entries = entriesOf(told, view);
  for (let from = 0; from < entries.length; from += Math.max(1, Math.ceil((entries.length - from) / 8))) {
    const value = write(transcriptOf(entries.slice(from), view));
    if (Buffer.byteLength(value) > bytesMax) continue;
    // Not in the specification; attachments of our page carry the name of the file there.
    const token: Token & { alt: string } = { value, alt: `transcript.${ending}` };
    const cut = from === 0 ? "" : ` It was too long: the oldest ${from} are left out.`;
    const whose = view.isPrivate ? "as you may see it" : "as everyone here may see it";
    const text = `The transcript ${whose}, as ${title}: ${counted(entries.length - from, "event")}, words only.${cut}`;
    return { text, feature: { mimeType, tokens: [token] } };
  }
  return undefined;
}

/** Numbered anew: gaps would tell how much was left out. */
function entriesOf(told: readonly Remembered[], { self }: View): Transcript["entries"] {
  const isShown = ({ event: { eventType }, sender }: Remembered) =>
    eventType === "utterance" || !isSameUri(sender, self.speakerUri);
  return told.filter(isShown).map(({ at, sender, event }, index) => ({
    ...{ seq: index + 1, at, kind: "event" as const, sender, event: lightened(event) },
    ...(event.to?.speakerUri !== undefined && { target: event.to.speakerUri }),
  }));
}

function transcriptOf(entries: Transcript["entries"], { conversation, history, isPrivate }: View): Transcript {
  const conversants = history.people.all.map(({ speakerUri, name }) => ({ speakerUri, conversationalName: name }));
  return { id: conversation.id, conversants, entries, ...(isPrivate && { readAs: history.asker }) };
}
