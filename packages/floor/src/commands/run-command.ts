import { type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";
import { appointConvener } from "../convener/appoint-convener.ts";
import { inviteConversant } from "../conversants/invite.ts";
import { isFree } from "../conversants/join.ts";
import { closeFloor, removeConversant } from "../conversants/leave.ts";
import { changeRole } from "../conversants/roles.ts";
import { asFloor, type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { abort, deliveriesInFlight } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import type { CommandRefusal } from "../effect.ts";
import { pauseTurns, resumeTurns } from "../events/loop-guard.ts";
import { conversantLimit, isOwn, isOwnAddress } from "../events/validate-event.ts";
import { initialVisibility, ownerOf, type Seat, seatOf } from "../floor.ts";
import type { Command, CommandFacts, CommandInput } from "../input.ts";
import type { Because } from "../rules.ts";
import { noSuchConversation, unknownConversant } from "./command-authority.ts";

/** Runs a command of the host interface. The caller's authority was checked before. */
export function onCommand(builder: DecisionBuilder, input: CommandInput): CommandRefusal | undefined {
  const { command, by } = input;
  const turn = `t${builder.floor.seq + 1}`;
  const because = `command/${command.verb}/${by}` as const;
  const why = { because, ...("speakerUri" in input && { by: input.speakerUri }) };
  if (builder.floor.seq === 0 && command.verb !== "open") return noSuchConversation;
  switch (command.verb) {
    case "open":
      return openFloor(builder, turn, because, command);
    case "seat":
      if (by === "owner" && input.facts?.isElsewhere === true) return seatElsewhere;
      return seatNewcomer(builder, turn, because, command);
    case "identify":
      return identify(builder, turn, because, command);
    case "remove":
      return remove(builder, turn, because, command);
    case "convener":
      return appointConvener(builder, commandOrigin(builder, turn), because, command);
    case "role":
      return changeRole(builder, turn, because, command);
    case "rebind":
      return rebind(builder, turn, because, command);
    case "move":
      return answerMove(builder, turn, because, command);
    case "reveal":
      return reveal(builder, turn, because, command);
    case "erase":
      return nothingToErase(command, input.facts) ?? erase(builder, turn, because, command);
    case "title":
      setTitle(builder, turn, why, command);
      return undefined;
    case "pause":
      pauseTurns(builder, why, command.turns);
      return undefined;
    case "resume":
      resumeTurns(builder, turn, why);
      return undefined;
    case "close":
      closeFloor(builder, commandOrigin(builder, turn), because, command.reason);
      return undefined;
  }
}

type CommandOf<Name extends Command["verb"]> = Extract<Command, { verb: Name }>;

type CommandRunner<Name extends Command["verb"]> = (
  builder: DecisionBuilder,
  turn: string,
  because: Because,
  command: CommandOf<Name>,
) => CommandRefusal | undefined;

const openFloor: CommandRunner<"open"> = (builder, turn, because, { self, owner, options }) => {
  if (builder.floor.seq > 0)
    return { because: "command/open/taken", status: 409, problem: "a conversation with this id exists" };
  const seat = owner && { ...personSeat(owner, 1), ...initialVisibility(options) };
  const audience = owner === undefined ? [] : [owner.speakerUri];
  write(builder, turn, { kind: "opened", because, audience, self, options, ...(seat && { owner: seat }) });
  if (options.convener === undefined) return undefined;
  inviteConversant(
    builder,
    commandOrigin(builder, turn),
    { eventType: "invite", to: { serviceUrl: options.convener } },
    "convener/chosen",
  );
  return undefined;
};

/** Any other conversant is invited and proves its address by its answer. The operator may seat it at any address. */
const seatElsewhere: CommandRefusal = {
  because: "command/seat/elsewhere",
  status: 422,
  problem: "an owner may seat only conversants at a relay address of this floor: invite it instead",
};

function personSeat(identification: Seat["identification"], since: number): Seat {
  return { identification, kind: "person", state: "joined", since, misses: 0 };
}

const seatNewcomer: CommandRunner<"seat"> = (builder, turn, because, command) => {
  const { identification, seatKind } = command;
  const { floor } = builder;
  if (!isFree(floor, identification.speakerUri)) {
    return { because: "command/seat/taken", status: 409, problem: "a conversant with this speakerUri is here already" };
  }
  const objection = conversantLimit(floor);
  if (objection !== undefined) return { ...objection, status: 422 };
  const audience = [...everyone(floor), identification.speakerUri];
  const isGuest = because === "command/seat/link";
  const seat: Seat = {
    ...personSeat(identification, floor.seq + 1),
    kind: seatKind,
    ...initialVisibility(floor.options),
  };
  if (isGuest) seat.isGuest = true;
  write(builder, turn, { kind: "seated", because, audience, seat, isGranted: true });
  // A guest never becomes the owner.
  if (ownerOf(builder.floor) !== undefined || seatKind === "agent" || isGuest) return undefined;
  write(builder, turn, {
    kind: "role",
    role: "owner",
    speakerUri: identification.speakerUri,
    because: "owner/first-person",
    audience,
  });
  return undefined;
};

/** Completes the identification of a conversant from its manifest. Its speakerUri and serviceUrl do not change. */
const identify: CommandRunner<"identify"> = (builder, turn, because, command) => {
  const seat = seatOf(builder.floor, command.speakerUri);
  if (seat === undefined) return undefined;
  const { speakerUri, serviceUrl } = seat.identification;
  const identification = { ...command.identification, speakerUri, serviceUrl };
  if (JSON.stringify(identification) === JSON.stringify(seat.identification)) return undefined;
  write(builder, turn, {
    kind: "seated",
    because,
    audience: everyone(builder.floor),
    seat: { ...seat, identification },
  });
  return undefined;
};

const remove: CommandRunner<"remove"> = (builder, turn, because, { speakerUri, reason }) => {
  const seat = seatOf(builder.floor, speakerUri);
  if (seat === undefined) return unknownConversant("command/remove/unknown");
  const event: FloorEvent = { eventType: "uninvite", to: { speakerUri }, ...(reason && { reason }) };
  removeConversant(builder, commandOrigin(builder, turn), event, because, seat);
  return undefined;
};

/** Sets the approved address of a name. Deliveries to the former address are aborted. */
const rebind: CommandRunner<"rebind"> = (builder, turn, because, command) => {
  const { floor } = builder;
  const { speakerUri: named, serviceUrl } = command;
  if (isOwn(named, floor.self.speakerUri) || isOwnAddress(serviceUrl, floor.self.serviceUrl)) {
    return {
      because: "guard/self-invite",
      status: 422,
      problem: "a floor is not a conversant of its own conversation",
    };
  }
  const seat = seatOf(floor, named);
  const speakerUri = seat?.identification.speakerUri ?? named;
  const hasMoved = seat !== undefined && !isSameAddress(seat.identification.serviceUrl, serviceUrl);
  // Whispers to it would go to another address from now on, without its consent.
  if (hasMoved && seat.state === "joined" && because === "command/rebind/owner") {
    const problem = "it is here from another address: remove it first, then re-bind it and invite it again";
    return { because: "command/rebind/joined", status: 409, problem };
  }
  const aborts = hasMoved
    ? deliveriesInFlight(builder, ({ to, asker }) => to === speakerUri && asker === undefined)
    : [];
  abort(builder, aborts);
  write(builder, turn, { kind: "rebound", because, audience: everyone(floor), speakerUri, serviceUrl, aborts });
  return undefined;
};

/** Allowed, the agent is invited at its new address and keeps its seat. Refused, it keeps its old address. */
const answerMove: CommandRunner<"move"> = (builder, turn, because, { speakerUri, isAllowed }) => {
  const { floor } = builder;
  const move = floor.moves?.find((one) => isSameUri(one.speakerUri, speakerUri));
  if (move === undefined) {
    const problem = "no conversant of this name asked for another address";
    return { because: "command/move/unknown", status: 404, problem };
  }
  if (!isAllowed) {
    write(builder, turn, { kind: "dismissed", because, audience: everyone(floor), ...move });
    return undefined;
  }
  const refused = rebind(builder, turn, because, { verb: "rebind", ...move });
  if (refused !== undefined) return refused;
  const objection = seatOf(builder.floor, move.speakerUri) === undefined ? conversantLimit(builder.floor) : undefined;
  if (objection !== undefined) return { ...objection, status: 422 };
  inviteConversant(builder, commandOrigin(builder, turn), { eventType: "invite", to: move }, because);
  return undefined;
};

/** Shows a conversant the public entries from before it joined. The entry about it is for everyone. */
const reveal: CommandRunner<"reveal"> = (builder, turn, because, { speakerUri: named, from }) => {
  const seat = seatOf(builder.floor, named);
  if (seat === undefined) return unknownConversant("command/reveal/unknown");
  if (!Number.isInteger(from) || from < 1) {
    return { because: "command/reveal/from", status: 422, problem: "the log begins at 1" };
  }
  const { speakerUri } = seat.identification;
  write(builder, turn, { kind: "revealed", because, audience: everyone(builder.floor), speakerUri, from });
  return undefined;
};

function nothingToErase({ seq }: CommandOf<"erase">, facts: CommandFacts | undefined): CommandRefusal | undefined {
  if (facts?.emptyEntry === undefined) return undefined;
  const problem = `/seq: entry ${seq} (${facts.emptyEntry}) has no event, so there is nothing to erase`;
  return { because: "command/erase/empty", status: 422, problem };
}

/** Records that an entry is to be erased; the shell erases it. */
const erase: CommandRunner<"erase"> = (builder, turn, because, { seq }) => {
  const { floor } = builder;
  if (!Number.isInteger(seq) || seq < 1 || seq > floor.seq) {
    return { because: "command/erase/unknown", status: 404, problem: "there is no such entry" };
  }
  // A parked envelope would bring the erased words back; the core does not know which entries hold them.
  if (floor.parked.some((one) => one.seq >= seq)) {
    const problem = "something of that time still waits for the convener: erase it afterwards";
    return { because: "command/erase/waiting", status: 409, problem };
  }
  write(builder, turn, { kind: "erased", because, audience: everyone(floor), erases: seq });
  return undefined;
};

/** Sets the title, unless it is the same. */
function setTitle(
  builder: DecisionBuilder,
  turn: string,
  why: { because: Because; by?: string },
  { title }: CommandOf<"title">,
): void {
  if (title === builder.floor.options.title) return;
  const audience = everyone(builder.floor);
  write(builder, turn, { kind: "titled", ...why, audience, ...(title !== undefined && { title }) });
}

function commandOrigin(builder: DecisionBuilder, turn: string): Origin {
  return asFloor(builder, { turn, depth: 0, causedBy: builder.floor.seq });
}
