import {
  type AddressChange,
  type Command,
  type CommandInput,
  type Entry,
  type Floor,
  ownerOf,
  seatNamed,
} from "@plenary/floor";

/** The command that wrote an entry; undefined unless it is the first entry of a command. */
export function recordedCommand(entry: Entry, floor: Floor, before: Entry | undefined): CommandInput | undefined {
  const again = invitedAgain(entry, before);
  if (again !== undefined) return { kind: "command", command: { verb: "convener", serviceUrl: again }, by: "operator" };
  const [area, , by] = entry.because.split("/");
  if (area !== "command" || by === undefined || isSameCommand(entry, before)) return undefined;
  const command = commandOf(entry, floor);
  return command && { kind: "command", command, ...commanderOf(entry, floor, by) };
}

/** The chosen convener is invited again. The log does not say by whom, which makes no difference. */
function invitedAgain(entry: Entry, before: Entry | undefined): string | undefined {
  if (entry.because !== "convener/chosen" || before?.kind === "opened" || before?.kind === "chosen") return undefined;
  if (entry.kind === "seated") return entry.seat.identification.serviceUrl;
  if (entry.kind !== "event" || (before?.kind === "seated" && before.because === entry.because)) return undefined;
  return entry.event.to?.serviceUrl;
}

/** One command writes first `chosen` without an address, then the role. */
export function isRestOfAppointment(entry: Entry, before: Entry | undefined): boolean {
  return entry.kind === "role" && before?.kind === "chosen" && before.because === entry.because;
}

/** Pause writes one entry for each turn, and close one for each agent. */
function isSameCommand(entry: Entry, before: Entry | undefined): boolean {
  if (before?.because !== entry.because) return false;
  if (entry.kind === "paused") return before.kind === "paused";
  // An allowed move also writes an invite.
  if (entry.because.startsWith("command/move/")) return entry.kind === "seated" || entry.kind === "event";
  return entry.because.startsWith("command/close/") && before.kind === "event";
}

function commanderOf(entry: Entry, floor: Floor, by: string) {
  const speakerUri = "by" in entry && entry.by !== undefined ? entry.by : nameOfOwner(entry, floor);
  switch (by) {
    case "owner":
    case "person":
      return { by, speakerUri } as const;
    case "link":
      return { by } as const;
    default:
      return { by: "operator" } as const;
  }
}

function nameOfOwner(entry: Entry, floor: Floor): string {
  return (entry.kind === "opened" ? entry.owner?.identification.speakerUri : ownerOf(floor)) ?? "";
}

function commandOf(entry: Entry, floor: Floor): Command | undefined {
  switch (entry.kind) {
    case "opened": {
      const { self, options, owner } = entry;
      return { verb: "open", self, options, ...(owner && { owner: owner.identification }) };
    }
    case "seated":
      return seatCommand(entry);
    case "event":
      return removalCommand(entry);
    case "role":
      return roleCommand(entry, floor);
    case "chosen":
      return { verb: "convener", ...(entry.serviceUrl !== undefined && { serviceUrl: entry.serviceUrl }) };
    case "rebound":
      if (entry.because.startsWith("command/move/")) return answerOfMove(entry, true);
      return { verb: "rebind", speakerUri: entry.speakerUri, serviceUrl: entry.serviceUrl };
    case "dismissed":
      return answerOfMove(entry, false);
    case "revealed":
      return { verb: "reveal", speakerUri: entry.speakerUri, from: entry.from };
    case "erased":
      return { verb: "erase", seq: entry.erases };
    case "titled":
      return { verb: "title", ...(entry.title !== undefined && { title: entry.title }) };
    case "paused":
      return { verb: "pause" };
    case "resumed":
      return { verb: "resume" };
    case "closed":
      return { verb: "close" };
    default:
      return undefined;
  }
}

function answerOfMove({ speakerUri }: AddressChange, isAllowed: boolean): Command {
  return { verb: "move", speakerUri, isAllowed };
}

function roleCommand({ role, speakerUri, isAdded, isRemoved }: Entry & { kind: "role" }, floor: Floor): Command {
  if (speakerUri === undefined || (isAdded ?? isRemoved) === undefined) return appointment(floor, speakerUri);
  return { verb: "role", role, speakerUri, isAssigned: isAdded === true };
}

/** By name, or by address if its manifest does not offer the role (D12). */
function appointment(floor: Floor, speakerUri: string | undefined): Command {
  if (speakerUri === undefined) return { verb: "convener" };
  const { openFloorRoles, serviceUrl } = seatNamed(floor, speakerUri)?.identification ?? {};
  if (openFloorRoles?.convener === true || serviceUrl === undefined) return { verb: "convener", speakerUri };
  return { verb: "convener", serviceUrl };
}

function seatCommand({ because, seat }: Entry & { kind: "seated" }): Command {
  const { identification, kind: seatKind } = seat;
  if (because.startsWith("command/seat/")) return { verb: "seat", identification, seatKind };
  return { verb: "identify", speakerUri: identification.speakerUri, identification };
}

function removalCommand({ because, event, target }: Entry & { kind: "event" }): Command | undefined {
  const reason = event.reason !== undefined && { reason: event.reason };
  if (because.startsWith("command/close/")) return { verb: "close", ...reason };
  return target === undefined ? undefined : { verb: "remove", speakerUri: target, ...reason };
}
