import { type Command, type CommandInput, type Entry, type Floor, type Move, ownerOf, seatNamed } from "@plenary/floor";

/** The command that an entry was written for; undefined when it is no command's first. */
export function recordedCommand(entry: Entry, floor: Floor, before: Entry | undefined): CommandInput | undefined {
  const again = invitedAgain(entry, before);
  if (again !== undefined) return { kind: "command", command: { verb: "convener", serviceUrl: again }, by: "operator" };
  const [area, , by] = entry.because.split("/");
  if (area !== "command" || by === undefined || isSameCommand(entry, before)) return undefined;
  const command = commandOf(entry, floor);
  return command && { kind: "command", command, ...commanderOf(entry, floor, by) };
}

/** Whoever was chosen before is invited once more, and nothing else is written: not by whom, which changes nothing. */
function invitedAgain(entry: Entry, before: Entry | undefined): string | undefined {
  if (entry.because !== "convener/chosen" || before?.kind === "opened" || before?.kind === "chosen") return undefined;
  if (entry.kind === "seated") return entry.seat.identification.serviceUrl;
  if (entry.kind !== "event" || (before?.kind === "seated" && before.because === entry.because)) return undefined;
  return entry.event.to?.serviceUrl;
}

/** That nobody is chosen any more is written before who has the chair: one command. */
export function isRestOfAppointment(entry: Entry, before: Entry | undefined): boolean {
  return entry.kind === "role" && before?.kind === "chosen" && before.because === entry.because;
}

/** To stop is to stop every turn, and to close is to send everybody away: an entry each. */
function isSameCommand(entry: Entry, before: Entry | undefined): boolean {
  if (before?.because !== entry.because) return false;
  if (entry.kind === "paused") return before.kind === "paused";
  // Whose new address was allowed is invited there.
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

function answerOfMove({ speakerUri }: Move, isAllowed: boolean): Command {
  return { verb: "move", speakerUri, isAllowed };
}

function roleCommand({ role, speakerUri, isAdded, isRemoved }: Entry & { kind: "role" }, floor: Floor): Command {
  if (speakerUri === undefined || (isAdded ?? isRemoved) === undefined) return appointment(floor, speakerUri);
  return { verb: "role", role, speakerUri, isAssigned: isAdded === true };
}

/** By its name, or by its address where its manifest does not offer it (D12). */
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
