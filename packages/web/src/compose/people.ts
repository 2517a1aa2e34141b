import { isSameUri } from "@plenary/protocol";
import { type Mentionable, nameIn } from "@plenary/transcript";
import type { ConversationState } from "../state/types.ts";
import type { Identification, SeatKind } from "../wire/types.ts";

export type Person = Mentionable & { identification: Identification; kind: SeatKind };

/** Whoever can be spoken to: all who have joined, but oneself. */
export function peopleOf(circle: Pick<ConversationState, "view" | "identifications" | "me">): Person[] {
  return circle.view.conversants.flatMap(({ identification, kind, state }) => {
    const { speakerUri } = identification;
    if (state !== "joined" || isSameUri(speakerUri, circle.me)) return [];
    return [{ speakerUri, name: nameIn(circle, speakerUri), identification, kind }];
  });
}
