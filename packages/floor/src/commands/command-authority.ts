import type { CommandRefusal } from "../effect.ts";
import { type Floor, ownerOf, seatNamed } from "../floor.ts";
import type { Command, CommandInput } from "../input.ts";
import type { Because } from "../rules.ts";

/** An outsider gets the same answer, so it does not learn whether a conversation exists. */
export const noSuchConversation = {
  because: "command/unopened",
  status: 404,
  problem: "there is no such conversation",
} as const satisfies CommandRefusal;

export function unknownConversant(because: Because): CommandRefusal {
  return { because, status: 404, problem: "no conversant here has this speakerUri" };
}

/**
 * Who may give which command: the operator all, the owner those of its conversation, a joined person pause and resume
 * (D17), a link a seat for a person.
 */
export function objectionToCommand(floor: Floor, input: CommandInput): CommandRefusal | undefined {
  const { command } = input;
  switch (input.by) {
    case "operator":
      return undefined;
    case "owner":
      // The opener of a conversation is its owner from the first entry on.
      if (command.verb === "open" && command.owner?.speakerUri === input.speakerUri) return undefined;
      return notOwner(floor, input.speakerUri) ?? (operatorVerbs.includes(command.verb) ? notAllowed : undefined);
    case "person":
      return notPerson(floor, input.speakerUri) ?? (personVerbs.includes(command.verb) ? undefined : notAllowed);
    case "link":
      return command.verb === "seat" && command.seatKind === "person" ? undefined : notAllowed;
  }
}

const operatorVerbs: readonly Command["verb"][] = ["open", "identify"];
const personVerbs: readonly Command["verb"][] = ["pause", "resume"];

const notAllowed: CommandRefusal = {
  because: "guard/not-host",
  status: 403,
  problem: "the caller may not give this command: ask the owner or the operator",
};

function notOwner(floor: Floor, speakerUri: string): CommandRefusal | undefined {
  const seat = seatNamed(floor, speakerUri);
  if (seat === undefined) return noSuchConversation;
  if (seat.identification.speakerUri === ownerOf(floor)) return undefined;
  return {
    because: "guard/not-owner",
    status: 403,
    problem: "only the owner of a conversation and the operator do this",
  };
}

function notPerson(floor: Floor, speakerUri: string): CommandRefusal | undefined {
  const seat = seatNamed(floor, speakerUri);
  if (seat === undefined) return noSuchConversation;
  if (seat.kind === "person" && seat.state === "joined") return undefined;
  return {
    because: "guard/not-person",
    status: 403,
    problem: "only people who are in the conversation, its owner and the operator do this",
  };
}
