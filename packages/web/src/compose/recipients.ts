import { isSameUri } from "@plenary/protocol";
import { type Mentionable, nameIn } from "@plenary/transcript";
import type { Identification, SeatKind } from "../api/types.ts";
import type { ConversationState } from "../state/types.ts";

export type Recipient = Mentionable & { identification: Identification; kind: SeatKind };

/** All joined conversants except oneself. */
export function recipientsOf(circle: Pick<ConversationState, "view" | "identifications" | "me">): Recipient[] {
  return circle.view.conversants.flatMap(({ identification, kind, state }) => {
    const { speakerUri } = identification;
    if (state !== "joined" || isSameUri(speakerUri, circle.me)) return [];
    return [{ speakerUri, name: nameIn(circle, speakerUri), identification, kind }];
  });
}
