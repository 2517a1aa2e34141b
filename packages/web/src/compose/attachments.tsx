import { type ClipboardEvent, type DragEvent, useState } from "react";
import { errorText } from "../api/floor.ts";
import type { SayOptions } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Attachment } from "./attachment-file.ts";

export type ListedAttachment = Attachment & { key: number };

/** An envelope has a size limit, so an utterance has one too. */
const attachmentsMax = 6;
let keys = 0;

export type AttachmentList = ReturnType<typeof useAttachments>;

export function useAttachments(onProblem: (sentence: string) => void) {
  const [list, put] = useState<readonly ListedAttachment[]>([]);
  const [reading, setReading] = useState(0);
  const read = async (file: File) => {
    setReading((before) => before + 1);
    try {
      // Loaded on demand: few utterances have files.
      const { attachmentOf } = await import("./attachment-file.ts");
      const attachment = { ...(await attachmentOf(file)), key: ++keys };
      put((before) => [...before, attachment].slice(0, attachmentsMax));
    } catch (error) {
      onProblem(errorText(error));
    } finally {
      setReading((before) => before - 1);
    }
  };
  const add = (files: Iterable<File>) => {
    const chosen = [...files];
    const room = Math.max(0, attachmentsMax - list.length);
    if (chosen.length > room) onProblem(texts.compose.filesMax(attachmentsMax));
    for (const file of chosen.slice(0, room)) void read(file);
  };
  const remove = (attachment: ListedAttachment) => {
    put((before) => before.filter(({ key }) => key !== attachment.key));
    revokePreviews([attachment]);
  };
  return { list, isReading: reading > 0, add, remove, put };
}

/** An unrevoked preview keeps its file in memory. */
export function revokePreviews(list: readonly ListedAttachment[]): void {
  for (const { previewUrl } of list) if (previewUrl?.startsWith("blob:")) URL.revokeObjectURL(previewUrl);
}

/** Feature names are unique: the second image is "image-2". */
export function attachmentFeatures(
  list: readonly Pick<ListedAttachment, "featureName" | "feature">[],
): SayOptions["features"] {
  const features: Record<string, ListedAttachment["feature"]> = {};
  for (const { featureName, feature } of list) {
    let name: string = featureName;
    for (let count = 2; name in features; count += 1) name = `${featureName}-${count}`;
    features[name] = feature;
  }
  return features;
}

export function filesOf(event: ClipboardEvent | DragEvent): File[] {
  const transfer = "clipboardData" in event ? event.clipboardData : event.dataTransfer;
  return [...transfer.files];
}

export function AttachmentChips({ attached: { list, isReading, remove } }: { attached: AttachmentList }) {
  if (list.length === 0 && !isReading) return null;
  return (
    <ul className="bare compose-files" aria-label={texts.compose.attached}>
      {list.map((attachment) => (
        <li key={attachment.key} className="compose-file">
          {attachment.previewUrl !== undefined && attachment.feature.mimeType.startsWith("image/") ? (
            <img src={attachment.previewUrl} alt="" />
          ) : (
            <span className="compose-file-sign">
              <Icon name={attachment.feature.mimeType.startsWith("audio/") ? "sound" : "file"} />
            </span>
          )}
          <span className="compose-file-name">{attachment.name}</span>
          <IconButton
            icon="close"
            size={14}
            isSmall
            label={texts.compose.remove(attachment.name)}
            onClick={() => remove(attachment)}
          />
        </li>
      ))}
      {isReading && <li className="compose-file quiet">{texts.compose.readingFile}</li>}
    </ul>
  );
}
