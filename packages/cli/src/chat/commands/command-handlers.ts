import { answerWords, type FloorEvent, replyFeature } from "@plenary/protocol";
import { choiceIn, exportFormats, exportKinds, isExportFormat, type Question } from "@plenary/transcript";
import type { Io } from "../../io.ts";
import { privateMode, writeFile } from "../../output/write-file.ts";
import { matchName, type Participant } from "../participants.ts";
import type { ChatSession, Screen } from "../session.ts";
import { answerMove } from "./address-moves.ts";
import { type Command, type CommandName, commandNamed, commands } from "./commands.ts";
import { findAgents, inviteFound } from "./discover.ts";
import { appointConvener, serviceUrlOf } from "./known-agents.ts";
import { convenerReport, logLines, participantsReport, rawEntry } from "./reports.ts";

export type CommandContext = { session: ChatSession; screen: Screen; io: Io };
export type CommandHandler = (rest: string, means: CommandContext) => Promise<void> | void;

/** The handler of each command. A thrown error is shown to the person. */
export const commandHandlers: Record<Exclude<CommandName, "quit" | "leave" | "close">, CommandHandler> = {
  async invite(rest, { session }) {
    if (await inviteFound(rest, session)) return;
    await session.readAgents();
    await session.conversation.invite(serviceUrlOf(rest, session.agents));
  },
  discover: (rest, { session, screen, io }) => findAgents(rest, session, screen, io.terminal?.columns),
  uninvite: (rest, context) => sendAbout("uninvite", rest, context),
  grant: (rest, context) => sendAbout("grantFloor", rest, context),
  revoke: (rest, context) => sendAbout("revokeFloor", rest, context),
  whisper(rest, { session }) {
    const { person, rest: text } = participantIn(rest, session);
    if (text === "") throw new Error(`Add a text: /whisper ${person.name} text`);
    session.say({ text, to: person.speakerUri, isWhisper: true });
  },
  request: (_, { session }) => session.conversation.requestFloor(),
  yield: (_, { session }) => session.conversation.yieldFloor(),
  async stop(_, { session, screen }) {
    const { isPaused } = await session.conversation.command("pause", {});
    if (!isPaused) screen.showMessage("No agent is answering: there is nothing to stop.");
  },
  async resume(_, { session, screen }) {
    const { isPaused } = await session.conversation.view();
    await session.conversation.command("resume", {});
    if (!isPaused) screen.showMessage("No agent was stopped.");
  },
  answer(rest, { session }) {
    const question = openQuestion(session);
    const choice = choiceIn(question, rest) ?? (rest === "" ? undefined : { values: [rest] });
    if (choice === undefined) throw new Error("Add your answer: /answer text");
    if ("lack" in choice) throw new Error(choice.lack);
    answerQuestion(question, choice.values, session);
  },
  skip(_, { session, screen }) {
    const question = openQuestion(session);
    // An optional question gets an empty answer; a required one stays open for the agent.
    if (question.isRequired) session.skip(question);
    else answerQuestion(question, [], session);
    screen.showMessage("Skipped.", "quiet");
    screen.refresh();
  },
  allow: (rest, { session }) => answerMove(rest, true, session),
  refuse: (rest, { session }) => answerMove(rest, false, session),
  async who(_, { session, screen }) {
    await session.refreshView();
    screen.showMessage(participantsReport(session));
  },
  async manifests(rest, { session }) {
    const to = rest === "" ? {} : { to: { speakerUri: participantIn(rest, session).person.speakerUri } };
    await session.conversation.send({ eventType: "getManifests", ...to } as FloorEvent);
  },
  async convener(rest, { session, screen }) {
    if (rest !== "") return appointConvener(rest, session);
    await session.refreshView();
    screen.showMessage(convenerReport(session));
  },
  async role(rest, { session }) {
    const { person, rest: words } = participantIn(rest, session);
    const { not, role } = /^(?<not>not\s+)?(?<role>\S+)$/iu.exec(words)?.groups ?? {};
    if (role === undefined) throw new Error("Give a role: /role NAME archivist, or /role NAME not archivist.");
    const { speakerUri, name } = person;
    if (role.toLowerCase() === "convener") {
      throw new Error(
        not === undefined ? `Use /convener ${name} for this role.` : "Use /convener none to remove the convener.",
      );
    }
    await session.conversation.command("role", { role, speakerUri, assigned: not === undefined });
    session.refreshViewSoon();
  },
  async title(rest, { session }) {
    if (rest === "") throw new Error("Give a title: /title text, or /title none to remove it.");
    await session.conversation.command("title", { title: rest.toLowerCase() === "none" ? null : rest });
    session.refreshViewSoon();
  },
  log: async (rest, { session, screen }) =>
    screen.showMessage(await logLines(session, rest === "" ? 20 : countIn(rest))),
  async raw(rest, { session, screen }) {
    if (!rest.startsWith("{"))
      return screen.showMessage(await rawEntry(session, rest === "" ? undefined : countIn(rest)));
    const document = documentIn(rest);
    if (!("openFloor" in document || "ovon" in document)) return session.conversation.send(document as FloorEvent);
    const answer = await session.floor.call("POST /openfloor", { body: document as { ovon: object } });
    screen.showMessage(JSON.stringify(answer));
  },
  async export(rest, { session, screen, io }) {
    const [format = "", ...name] = rest.split(/\s+/u);
    if (!isExportFormat(format)) {
      throw new Error(`Give a format: /export ${exportFormats.join(", ")}, and optionally a file.`);
    }
    const file =
      name.join(" ") ||
      `plenary-${session.conversation.id.slice(0, 8).replaceAll(/[^\p{L}\p{N}-]/gu, "-")}.${exportKinds[format].ending}`;
    // The export may contain whispers.
    await writeFile(file, await session.conversation.export(format), io.cwd, privateMode);
    screen.showMessage(`Written to ${file}.`);
  },
  help: (rest, { screen }) => screen.showMessage(helpFor(rest.replace(/^\//u, ""))),
};

async function sendAbout(
  eventType: "uninvite" | "grantFloor" | "revokeFloor",
  rest: string,
  { session }: CommandContext,
): Promise<void> {
  const { person, rest: reason } = participantIn(rest, session);
  await session.conversation.send({ eventType, to: { speakerUri: person.speakerUri }, ...(reason && { reason }) });
}

function participantIn(text: string, { participants }: ChatSession): { person: Participant; rest: string } {
  const named = matchName(text, participants.others());
  if ("problem" in named) throw new Error(named.problem);
  return named;
}

function openQuestion(session: ChatSession): Question {
  const question = session.question();
  if (question === undefined) throw new Error("There is no open question.");
  return question;
}

/** Answers as text, and as a feature for the agent that asked. */
export function answerQuestion(question: Question, values: readonly string[], session: Pick<ChatSession, "say">): void {
  const text = answerWords(question.options, values);
  const features = { interactionReply: replyFeature(question.id, values) };
  session.say({ text, to: question.sender, isWhisper: question.isWhisper, features });
}

function countIn(text: string): number {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw new Error(`${text} is not a number.`);
}

/** An event or an envelope, sent unchanged: the floor validates it. */
function documentIn(json: string): object {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`Invalid JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function helpFor(name: string): string {
  const command: Command | undefined = name === "" ? undefined : commandNamed(name.toLowerCase());
  if (name !== "" && command === undefined) throw new Error(`There is no /${name}: /help lists the commands.`);
  if (command !== undefined) return `${command.usage}  ${command.does}${aliasesOf(command)}`;
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const list = commands.map(({ usage, does }) => `${usage.padEnd(width)}  ${does}`);
  return ["Type to speak to everyone; @NAME text addresses one participant, publicly. Tab completes.", ...list].join(
    "\n",
  );
}

function aliasesOf({ aliases = [] }: Command): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}
