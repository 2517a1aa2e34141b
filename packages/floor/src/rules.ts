import type { CommandInput, Failure } from "./input.ts";
import { type TableId, table } from "./table.ts";

/** The meaning of each rule id that is not a cell of the table. */
const rules = {
  "door/accepted": "the envelope was taken in",
  "door/new-id": "the envelope was taken in; an utterance whose id stood for another text got a new one (D29)",
  "answer/in-time": "a delivery was answered",
  "answer/late": "the answer came after its delivery was settled (D2)",
  "answer/forwarded": "an outsider answered the question that was passed on to it (D15)",
  "0.4.3/advisory": "this floor does not enforce floor rights",
  "1.8/no-addressee": "an event that changes a conversant's standing names its addressee",
  "1.8/ambiguous-addressee": "several conversants share this address",
  "1.8/private-addressee": "a private utterance has exactly one addressee (D15')",
  "1.8/unusable-event": "an event of an answer could not be read (D21)",
  "1.9/unknown-event-type": "an event of a type that the specification does not have is left out (D21)",
  "1.12/no-service-url": "an invite of an unknown agent names its address",
  "1.12/expected-role": "a role that the accepted invite named (D41)",
  "1.12/other-speaker-uri": "the invited answered under another speakerUri",
  "1.14/joined-by-answering": "an agent that answers an invite without declining has joined (D14)",
  "1.15/on-its-behalf": "the invited could not be reached or understood (D23)",
  "2.1/granted-on-joining": "an agent that accepted without an utterance may wait for grantFloor (D23)",
  "2.1/silent": "an agent that has the floor and answers nothing may wait for grantFloor (D23)",
  "2.1/addressed": "an agent that was addressed may answer without the floor, once (D7)",
  "2.2/convener-own": "the convener's own events are not delegated (D6)",
  "2.2/convener-approved": "the convener returned the event (D10')",
  "2.2/convener-answered": "the convener has answered",
  "2.2/convener-dropped": "the convener did not return it (D11)",
  "2.2/in-order": "envelopes of one sender are worked through in order (D9)",
  "2.2/told": "a speaker without the floor gets one notice for each time it lost it (D8)",
  "2.2/requestFloor/held": "the convener has not decided on this request yet (D11)",
  "2.2/requestFloor/timed-out": "the convener did not decide on this request (D11)",
  "2.2/getManifests/elsewhere": "a question to an outsider (D15)",
  "2.2/publishManifests/elsewhere": "the outsider's answer, for the conversant that asked (D15)",
  "convener/chosen": "named by its address, when the conversation was opened or later (D12)",
  "convener/told": "the new and the former convener are notified at once",
  "convener/missed": "the convener could not be reached or understood (D11)",
  "convener/deadline": "the convener did not answer in time (D11)",
  "convener/seems-idle": "the convener passed on none of the owner's last events",
  "convener/lapsed": "two deadlines missed in a row (D11)",
  "convener/absent": "there is no convener to wait for",
  "convener/closed": "this floor drops what its convener does not answer (D11)",
  "delivery/unsent": "the delivery was stopped, and could not be sent (D18)",
  "delivery/given-up": "too many deliveries in a row without an answer (D23)",
  "ending/nobody-left": "the last person has left (D20)",
  "ending/closed": "the conversation has ended (D20)",
  "ending/favorite-agent": "the last agent has left, so the favourite is invited back (D20)",
  "guard/bound-elsewhere": "this name was trusted at another address: owner or operator re-bind it",
  "guard/moved-on-loopback":
    "an agent of this machine answers from another port of a floor that listens on loopback only",
  "guard/guest": "a guest does not remove or silence what the owner brought, unless the owner allows it (D13')",
  "guard/impersonation": "an answer under another speaker's name",
  "guard/not-host": "the caller may not give this command",
  "guard/not-joined": "an invited conversant joins before it acts on others",
  "guard/not-owner": "only the owner and the operator command",
  "guard/not-person": "people stop the agents and let them go on, agents do not (D17)",
  "guard/not-seated": "only conversants are heard",
  "guard/protected-convener": "only the owner removes or silences the convener (D6)",
  "guard/protected-owner": "the owner cannot be removed or silenced (D13)",
  "guard/protected-person": "only the convener or the owner removes or silences a person (D13)",
  "guard/self-invite": "a floor is not a conversant of its own conversation",
  "guard/whisper-answer": "what answers a private utterance is private to its speaker (D13')",
  "guard/whisper-without-floor": "a private utterance is not shown to the convener (D13)",
  "question/lapsed": "the question of this agent got no answer in time, so the agent is informed (D31)",
  "limit/conversants": "too many conversants",
  "limit/convener-events": "too many events in one answer of the convener (D10)",
  "limit/parked": "too many envelopes of one sender wait for the convener",
  "loop/agent-events": "too many events of agents in one turn (D17)",
  "loop/depth": "too long a chain of answers to answers (D17)",
  "loop/same-text": "the same agent said the same too often in one turn (D17)",
  "loop/paused": "the agents are paused in this turn (D17)",
  "loop/person-spoke": "a person spoke, so the agents may go on (D17)",
  "loop/convener-resumed": "the convener granted the floor, so the agents may go on (D17)",
  "quota/invites": "too many invites of one agent in one turn",
  "quota/uninvites": "too many uninvites of one agent in one turn",
  "quota/manifests": "too many questions and answers about manifests of one agent in one turn",
  "owner/passed-on": "the owner left; the person longest here takes over (D20)",
  "owner/first-person": "the first person owns a conversation that has no owner",
  "command/open/taken": "a conversation with this id exists",
  "command/unopened": "there is no such conversation",
  "command/seat/taken": "a conversant with this speakerUri is here already",
  "command/seat/elsewhere":
    "an owner seats people and agents that are reached through this floor, and invites the others",
  "command/rebind/joined": "an owner does not change the address of a conversant that has joined",
  "command/move/unknown": "no conversant of this name asked for another address",
  "command/remove/unknown": "no conversant here has this speakerUri",
  "command/convener/unknown": "no conversant here has this speakerUri",
  "command/role/unknown": "no conversant here has this speakerUri",
  "command/role/reserved": "owner and convener are given in another way",
  "command/role/name": "a role has a short name",
  "command/role/invited": "only a joined conversant has a role",
  "command/role/many": "too many roles",
  "command/reveal/unknown": "no conversant here has this speakerUri",
  "command/reveal/from": "the log begins at 1",
  "command/erase/unknown": "there is no such entry",
  "command/erase/waiting": "what this entry holds still waits for the convener",
  "command/convener/unfit": "a convener is an agent that does not refuse the role",
  "command/convener/not-offered": "a convener offers the role in its manifest, or is named by its address (D12)",
} as const;

type CommandId = `command/${CommandInput["command"]["verb"]}/${CommandInput["by"]}`;

/** The id of the rule that decided (D3). */
export type Because = keyof typeof rules | TableId | CommandId | `delivery/${Failure}`;

const verbs = {
  open: "opened the conversation",
  seat: "seated a conversant",
  identify: "identified a conversant",
  remove: "removed a conversant",
  convener: "gave or took the role of convener",
  role: "gave or took a role",
  rebind: "approved the address of a conversant",
  move: "allowed or refused the new address of an agent",
  reveal: "showed a conversant the earlier entries",
  erase: "had an entry erased",
  title: "set or removed the title",
  pause: "stopped the agents",
  resume: "let the agents go on",
  close: "closed the conversation",
} satisfies Record<CommandInput["command"]["verb"], string>;

const commanders = {
  owner: "the owner",
  operator: "the operator",
  person: "a person",
  link: "a guest with a link",
} satisfies Record<CommandInput["by"], string>;

const failures = {
  unreachable: "the conversant could not be reached",
  timeout: "the conversant did not answer in time",
  "no-envelope": "the conversant did not answer with an envelope",
  refused: "the conversant refused what it was sent",
} satisfies Record<Failure, string>;

/** Every rule id of entries and refusals, with its meaning. */
export const becauseIds: ReadonlyMap<string, string> = new Map([
  ...Object.entries(rules),
  ...table.flatMap(({ event, granted, withConvener, withoutConvener }) => {
    const word = granted === undefined ? "" : granted ? "/granted" : "/not-granted";
    return [
      [`2.2/${event}${word}/convener`, `the table of 2.2, with a convener: ${withConvener}`],
      [`2.2/${event}${word}/no-convener`, `the table of 2.2, without a convener: ${withoutConvener}`],
    ] as const;
  }),
  ...Object.entries(verbs).flatMap(([verb, what]) =>
    Object.entries(commanders).map(([by, who]) => [`command/${verb}/${by}`, `${who} ${what}`] as const),
  ),
  ...Object.entries(failures).map(([failure, what]) => [`delivery/${failure}`, what] as const),
]);
