import { type Feature, isSameUri, type Token } from "@plenary/protocol";
import type { HistoryEntry } from "@plenary/sdk";
import { counted, exportKinds, jsonlOf, markdownOf, mermaidOf, type Transcript } from "@plenary/transcript";
import { textOnly } from "./heard-events.ts";
import type { History, RecordContext } from "./history.ts";
import type { ScribeFormat } from "./parse-request.ts";

const bytesMax = 262_144;

const writers: Readonly<Record<ScribeFormat, (of: Transcript) => string>> = {
  markdown: markdownOf,
  mermaid: mermaidOf,
  jsonl: jsonlOf,
};

export const scribeFormats = Object.keys(writers);

export type Exported = { text: string; feature: Feature };

type ExportContext = Pick<RecordContext, "conversation" | "self"> & { history: History; isPrivate: boolean };

/** The transcript that all listeners of the answer may read. The oldest events are dropped when it is too large. */
export function exportOf(
  format: ScribeFormat,
  visible: readonly HistoryEntry[],
  view: ExportContext,
): Exported | undefined {
  const { mimeType, ending, title } = exportKinds[format];
  const entries = entriesOf(visible, view);
  for (let from = 0; from < entries.length; from += Math.max(1, Math.ceil((entries.length - from) / 8))) {
    const value = writers[format](transcriptOf(entries.slice(from), view));
    if (Buffer.byteLength(value) > bytesMax) continue;
    // `alt` is not in the specification: attachments of our page carry the file name there.
    const token: Token & { alt: string } = { value, alt: `transcript.${ending}` };
    const cut = from === 0 ? "" : ` It was too long: the oldest ${from} events are left out.`;
    const whose = view.isPrivate ? "as you may see it" : "as everyone here may see it";
    const text = `The transcript ${whose}, as ${title}: ${counted(entries.length - from, "event")}, text only.${cut}`;
    return { text, feature: { mimeType, tokens: [token] } };
  }
  return undefined;
}

/** New numbers, because gaps would show how much was left out. */
function entriesOf(visible: readonly HistoryEntry[], { self }: ExportContext): Transcript["entries"] {
  const isShown = ({ event: { eventType }, sender }: HistoryEntry) =>
    eventType === "utterance" || !isSameUri(sender, self.speakerUri);
  return visible.filter(isShown).map(({ at, sender, event }, index) => ({
    seq: index + 1,
    at,
    kind: "event" as const,
    sender,
    event: textOnly(event),
    ...(event.to?.speakerUri !== undefined && { target: event.to.speakerUri }),
  }));
}

function transcriptOf(entries: Transcript["entries"], { conversation, history, isPrivate }: ExportContext): Transcript {
  const conversants = history.people.all.map(({ speakerUri, name }) => ({ speakerUri, conversationalName: name }));
  return { id: conversation.id, conversants, entries, ...(isPrivate && { readAs: history.asker }) };
}
