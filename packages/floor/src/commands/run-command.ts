import { type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";
import { appoint } from "../convener/appoint-convener.ts";
import { passInvite } from "../conversants/invite.ts";
import { isFree } from "../conversants/join.ts";
import { closeFloor, passRemoval } from "../conversants/leave.ts";
import { changeRole } from "../conversants/roles.ts";
import { asFloor, type Draft, type Origin, write } from "../decision-builder.ts";
import { abort, underWay } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import type { Refusal } from "../effect.ts";
import { pauseTurns, resumeTurns } from "../events/loop-guard.ts";
import { isOwn, isOwnAddress, noRoom } from "../events/validate-event.ts";
import { ownerOf, type Seat, seatOf, sightOf } from "../floor.ts";
import type { Command, CommandInput } from "../input.ts";
import type { Because } from "../rules.ts";
import { unopened } from "./command-authority.ts";

type Refused = (Refusal & { because: Because }) | undefined;

/** The host interface: what is done beside the protocol. Whether the caller may was judged before. */
export function onCommand(draft: Draft, input: CommandInput): Refused {
  const { command, by } = input;
  const turn = `t${draft.floor.seq + 1}`;
  const because = `command/${command.verb}/${by}` as const;
  const why = { because, ...("speakerUri" in input && { by: input.speakerUri }) };
  if (draft.floor.seq === 0 && command.verb !== "open") return unopened;
  switch (command.verb) {
    case "open":
      return openFloor(draft, turn, because, command);
    case "seat":
      return seatNewcomer(draft, turn, because, command);
    case "identify":
      return identify(draft, turn, because, command);
    case "remove":
      return remove(draft, turn, because, command);
    case "convener":
      return appoint(draft, commandOrigin(draft, turn), because, command);
    case "role":
      return changeRole(draft, turn, because, command);
    case "rebind":
      return rebind(draft, turn, because, command);
    case "move":
      return answerMove(draft, turn, because, command);
    case "reveal":
      return reveal(draft, turn, because, command);
    case "erase":
      return erase(draft, turn, because, command);
    case "title":
      entitle(draft, turn, why, command);
      return undefined;
    case "pause":
      pauseTurns(draft, why, command.turns);
      return undefined;
    case "resume":
      resumeTurns(draft, turn, why);
      return undefined;
    case "close":
      closeFloor(draft, commandOrigin(draft, turn), because, command.reason);
      return undefined;
  }
}

type Verb<Name extends Command["verb"]> = Extract<Command, { verb: Name }>;

function openFloor(draft: Draft, turn: string, because: Because, { self, owner, options }: Verb<"open">): Refused {
  if (draft.floor.seq > 0)
    return { because: "command/open/taken", status: 409, problem: "a conversation with this id exists" };
  const seat = owner && { ...personSeat(owner, 1), ...sightOf(options) };
  const audience = owner === undefined ? [] : [owner.speakerUri];
  write(draft, turn, { kind: "opened", because, audience, self, options, ...(seat && { owner: seat }) });
  if (options.convener === undefined) return undefined;
  passInvite(
    draft,
    commandOrigin(draft, turn),
    { eventType: "invite", to: { serviceUrl: options.convener } },
    "convener/chosen",
  );
  return undefined;
}

function personSeat(identification: Seat["identification"], since: number): Seat {
  return { identification, kind: "person", state: "joined", since, misses: 0 };
}

function seatNewcomer(draft: Draft, turn: string, because: Because, command: Verb<"seat">): Refused {
  const { identification, seatKind } = command;
  const { floor } = draft;
  if (!isFree(floor, identification.speakerUri)) {
    return { because: "command/seat/taken", status: 409, problem: "somebody is here under this speakerUri" };
  }
  const objection = noRoom(floor);
  if (objection !== undefined) return { ...objection, status: 422 };
  const audience = [...everyone(floor), identification.speakerUri];
  const isGuest = because === "command/seat/link";
  const seat: Seat = { ...personSeat(identification, floor.seq + 1), kind: seatKind, ...sightOf(floor.options) };
  if (isGuest) seat.isGuest = true;
  write(draft, turn, { kind: "seated", because, audience, seat, isGranted: true });
  // A guest is nobody's host.
  if (ownerOf(draft.floor) !== undefined || seatKind === "agent" || isGuest) return undefined;
  write(draft, turn, {
    kind: "role",
    role: "owner",
    speakerUri: identification.speakerUri,
    because: "owner/first-person",
    audience,
  });
  return undefined;
}

/** What the manifest said of a conversant whose name was not known; who it is does not change. */
function identify(draft: Draft, turn: string, because: Because, command: Verb<"identify">): Refused {
  const seat = seatOf(draft.floor, command.speakerUri);
  if (seat === undefined) return undefined;
  const { speakerUri, serviceUrl } = seat.identification;
  const identification = { ...command.identification, speakerUri, serviceUrl };
  if (JSON.stringify(identification) === JSON.stringify(seat.identification)) return undefined;
  write(draft, turn, { kind: "seated", because, audience: everyone(draft.floor), seat: { ...seat, identification } });
  return undefined;
}

function remove(draft: Draft, turn: string, because: Because, { speakerUri, reason }: Verb<"remove">): Refused {
  const seat = seatOf(draft.floor, speakerUri);
  if (seat === undefined)
    return { because: "command/remove/unknown", status: 404, problem: "nobody here has this speakerUri" };
  const event: FloorEvent = { eventType: "uninvite", to: { speakerUri }, ...(reason && { reason }) };
  passRemoval(draft, commandOrigin(draft, turn), event, because, seat);
  return undefined;
}

/** The one approved address of a name. What is under way to the one before is no longer waited for. */
function rebind(draft: Draft, turn: string, because: Because, command: Verb<"rebind">): Refused {
  const { floor } = draft;
  const { speakerUri: named, serviceUrl } = command;
  if (isOwn(named, floor.self.speakerUri) || isOwnAddress(serviceUrl, floor.self.serviceUrl)) {
    return { because: "guard/self-invite", status: 422, problem: "a floor is no conversant of its own" };
  }
  const seat = seatOf(floor, named);
  const speakerUri = seat?.identification.speakerUri ?? named;
  const hasMoved = seat !== undefined && !isSameAddress(seat.identification.serviceUrl, serviceUrl);
  // What is whispered to it would go to somebody else from now on, and nobody would be asked.
  if (hasMoved && seat.state === "joined" && because === "command/rebind/owner") {
    const problem = "it is here from another address: remove it first, then re-bind it and invite it again";
    return { because: "command/rebind/joined", status: 409, problem };
  }
  const aborts = hasMoved ? underWay(draft, ({ to, asker }) => to === speakerUri && asker === undefined) : [];
  abort(draft, aborts);
  write(draft, turn, { kind: "rebound", because, audience: everyone(floor), speakerUri, serviceUrl, aborts });
  return undefined;
}

/** Allowed, it is invited again at its new address; a seat that it has goes with it. Refused, it stays where it is trusted. */
function answerMove(draft: Draft, turn: string, because: Because, { speakerUri, isAllowed }: Verb<"move">): Refused {
  const { floor } = draft;
  const move = floor.moves?.find((one) => isSameUri(one.speakerUri, speakerUri));
  if (move === undefined) {
    const problem = "nobody of this name asked to be known at another address";
    return { because: "command/move/unknown", status: 404, problem };
  }
  if (!isAllowed) {
    write(draft, turn, { kind: "dismissed", because, audience: everyone(floor), ...move });
    return undefined;
  }
  const refused = rebind(draft, turn, because, { verb: "rebind", ...move });
  if (refused !== undefined) return refused;
  const objection = seatOf(draft.floor, move.speakerUri) === undefined ? noRoom(draft.floor) : undefined;
  if (objection !== undefined) return { ...objection, status: 422 };
  passInvite(draft, commandOrigin(draft, turn), { eventType: "invite", to: move }, because);
  return undefined;
}

/** Somebody is shown what was for everyone before it came. Everyone is told. */
function reveal(draft: Draft, turn: string, because: Because, { speakerUri: named, from }: Verb<"reveal">): Refused {
  const seat = seatOf(draft.floor, named);
  if (seat === undefined) {
    return { because: "command/reveal/unknown", status: 404, problem: "nobody here has this speakerUri" };
  }
  if (!Number.isInteger(from) || from < 1) {
    return { because: "command/reveal/from", status: 422, problem: "the log begins at 1" };
  }
  const { speakerUri } = seat.identification;
  write(draft, turn, { kind: "revealed", because, audience: everyone(draft.floor), speakerUri, from });
  return undefined;
}

/** That it is to be forgotten is written; the shell forgets. What still waits would be lost with it. */
function erase(draft: Draft, turn: string, because: Because, { seq }: Verb<"erase">): Refused {
  const { floor } = draft;
  if (!Number.isInteger(seq) || seq < 1 || seq > floor.seq) {
    return { because: "command/erase/unknown", status: 404, problem: "there is no such entry" };
  }
  // What waits would bring the words back; which entries they stand in is not known here.
  if (floor.parked.some((one) => one.seq >= seq)) {
    const problem = "something of that time still waits for the convener: erase it afterwards";
    return { because: "command/erase/waiting", status: 409, problem };
  }
  write(draft, turn, { kind: "erased", because, audience: everyone(floor), erases: seq });
  return undefined;
}

/** Everyone is told what the conversation is called, and nobody is told again what everyone knows. */
function entitle(draft: Draft, turn: string, why: { because: Because; by?: string }, { title }: Verb<"title">): void {
  if (title === draft.floor.options.title) return;
  const audience = everyone(draft.floor);
  write(draft, turn, { kind: "titled", ...why, audience, ...(title !== undefined && { title }) });
}

function commandOrigin(draft: Draft, turn: string): Origin {
  return asFloor(draft, { turn, depth: 0, causedBy: draft.floor.seq });
}
