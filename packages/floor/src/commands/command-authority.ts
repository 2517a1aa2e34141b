import type { Refusal } from "../effect.ts";
import { type Floor, ownerOf, seatNamed } from "../floor.ts";
import type { Command, CommandInput } from "../input.ts";
import type { Because } from "../rules.ts";

type Refused = (Refusal & { because: Because }) | undefined;

/** An outsider is told the same: it does not learn whether a conversation exists. */
export const unopened = {
  because: "command/unopened",
  status: 404,
  problem: "there is no such conversation",
} as const satisfies Refused;

/**
 * Who may command what: the operator everything, the owner what concerns its conversation, any person who is here that
 * the agents stop and go on (D17), a link a seat for a person.
 */
export function objectionToCommander(floor: Floor, input: CommandInput): Refused {
  const { command } = input;
  switch (input.by) {
    case "operator":
      return undefined;
    case "owner":
      // Whoever begins a conversation is its owner from the first entry on.
      if (command.verb === "open" && command.owner?.speakerUri === input.speakerUri) return undefined;
      return notOwner(floor, input.speakerUri) ?? (hostVerbs.includes(command.verb) ? notHost : undefined);
    case "person":
      return notPerson(floor, input.speakerUri) ?? (personVerbs.includes(command.verb) ? undefined : notHost);
    case "link":
      return command.verb === "seat" && command.seatKind === "person" ? undefined : notHost;
  }
}

const hostVerbs: readonly Command["verb"][] = ["open", "identify"];
const personVerbs: readonly Command["verb"][] = ["pause", "resume"];

const notHost: Refused = {
  because: "guard/not-host",
  status: 403,
  problem: "this command is not for whoever gave it: ask the owner or the operator",
};

function notOwner(floor: Floor, speakerUri: string): Refused {
  const seat = seatNamed(floor, speakerUri);
  if (seat === undefined) return unopened;
  if (seat.identification.speakerUri === ownerOf(floor)) return undefined;
  return {
    because: "guard/not-owner",
    status: 403,
    problem: "only the owner of a conversation and the operator do this",
  };
}

function notPerson(floor: Floor, speakerUri: string): Refused {
  const seat = seatNamed(floor, speakerUri);
  if (seat === undefined) return unopened;
  if (seat.kind === "person" && seat.state === "joined") return undefined;
  return {
    because: "guard/not-person",
    status: 403,
    problem: "only people who are in the conversation, its owner and the operator do this",
  };
}
