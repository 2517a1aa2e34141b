import { answerWords, type FloorEvent, replyFeature } from "@plenary/protocol";
import { choiceIn, exportFormats, exportKinds, isExportFormat, type Question } from "@plenary/transcript";
import type { Io } from "../../io.ts";
import { privateMode, writeFile } from "../../output/write-file.ts";
import { namedIn, type Person } from "../participants.ts";
import type { Screen, Talk } from "../session.ts";
import { answerMove } from "./address-moves.ts";
import { type Command, type CommandName, commandNamed, commands } from "./commands.ts";
import { findAgents, inviteFound } from "./discover.ts";
import { conveneAt, inviteeOf } from "./known-agents.ts";
import { logLines, rawEntry, whoConvenes, whoIsHere } from "./reports.ts";

export type Means = { talk: Talk; screen: Screen; io: Io };
export type Deed = (rest: string, means: Means) => Promise<void> | void;

/** What each command does; whatever throws is told to the person. */
export const deeds: Record<Exclude<CommandName, "quit" | "leave" | "close">, Deed> = {
  async invite(rest, { talk }) {
    if (await inviteFound(rest, talk)) return;
    talk.agents = await talk.conversation.knownAgents().catch(() => talk.agents);
    await talk.conversation.send({ eventType: "invite", to: { serviceUrl: inviteeOf(rest, talk.agents) } });
  },
  discover: (rest, { talk, screen, io }) => findAgents(rest, talk, screen, io.terminal?.columns),
  uninvite: (rest, means) => about("uninvite", rest, means),
  grant: (rest, means) => about("grantFloor", rest, means),
  revoke: (rest, means) => about("revokeFloor", rest, means),
  whisper(rest, { talk }) {
    const { person, rest: text } = somebody(rest, talk);
    if (text === "") throw new Error(`Say what you whisper to ${person.name}: /whisper ${person.name} text`);
    // Should the floor refuse it, what comes back must be a whisper still.
    talk.outbox.say({ text, to: person.speakerUri, isWhisper: true }, `/whisper ${person.name} ${text}`);
  },
  request: (_, { talk }) => talk.conversation.send({ eventType: "requestFloor" }),
  yield: (_, { talk }) => talk.conversation.send({ eventType: "yieldFloor" }),
  async stop(_, { talk, screen }) {
    const { isPaused } = await talk.conversation.command("pause");
    if (!isPaused) screen.tell("Nobody is answering: there is nothing to stop.");
  },
  async resume(_, { talk, screen }) {
    const { isPaused } = await talk.conversation.view();
    await talk.conversation.command("resume");
    if (!isPaused) screen.tell("Nobody was stopped.");
  },
  answer(rest, { talk }) {
    const question = waiting(talk);
    const choice = choiceIn(question, rest) ?? (rest === "" ? undefined : { values: [rest] });
    if (choice === undefined) throw new Error("Say what you answer: /answer text");
    if ("lack" in choice) throw new Error(choice.lack);
    answer(question, choice.values, talk);
  },
  skip(_, { talk, screen }) {
    const question = waiting(talk);
    // Whoever can do without an answer is told so; whoever cannot goes on waiting.
    if (question.isRequired) talk.questions.skip(question);
    else answer(question, [], talk);
    screen.tell("Skipped.", "quiet");
    screen.refresh();
  },
  allow: (rest, { talk }) => answerMove(rest, true, talk),
  refuse: (rest, { talk }) => answerMove(rest, false, talk),
  async who(_, { talk, screen }) {
    await talk.lookNow();
    screen.tell(whoIsHere(talk));
  },
  async manifests(rest, { talk }) {
    const to = rest === "" ? {} : { to: { speakerUri: somebody(rest, talk).person.speakerUri } };
    await talk.conversation.send({ eventType: "getManifests", ...to } as FloorEvent);
  },
  async convener(rest, { talk, screen }) {
    if (rest !== "") return conveneAt(rest, talk);
    await talk.lookNow();
    screen.tell(whoConvenes(talk));
  },
  async role(rest, { talk }) {
    const { person, rest: words } = somebody(rest, talk);
    const { not, role } = /^(?<not>not\s+)?(?<role>\S+)$/iu.exec(words)?.groups ?? {};
    if (role === undefined) throw new Error("Say which role: /role NAME archivist, or /role NAME not archivist.");
    const { speakerUri, name } = person;
    if (role.toLowerCase() === "convener") {
      throw new Error(
        not === undefined ? `/convener ${name} makes it the convener.` : "/convener none ends convening.",
      );
    }
    await talk.conversation.command("role", { role, speakerUri, assigned: not === undefined });
    talk.look();
  },
  async title(rest, { talk }) {
    if (rest === "") throw new Error("Say what to call it: /title words, or /title none to take the title away.");
    await talk.conversation.command("title", { title: rest.toLowerCase() === "none" ? null : rest });
    talk.look();
  },
  log: async (rest, { talk, screen }) => screen.tell(await logLines(talk, rest === "" ? 20 : countIn(rest))),
  async raw(rest, { talk, screen }) {
    if (!rest.startsWith("{")) return screen.tell(await rawEntry(talk, rest === "" ? undefined : countIn(rest)));
    const document = documentIn(rest);
    if (!("openFloor" in document || "ovon" in document)) return talk.conversation.send(document as FloorEvent);
    screen.tell((await talk.conversation.post(document)) || "The floor took it, and has nothing to say.");
  },
  async export(rest, { talk, screen, io }) {
    const [format = "", ...name] = rest.split(/\s+/u);
    if (!isExportFormat(format)) {
      throw new Error(`Say which format: /export ${exportFormats.join(", ")}, and a file if you like.`);
    }
    const file =
      name.join(" ") ||
      `plenary-${talk.conversation.id.slice(0, 8).replaceAll(/[^\p{L}\p{N}-]/gu, "-")}.${exportKinds[format].ending}`;
    // What this person alone was told is in it.
    await writeFile(file, await talk.conversation.export(format), io.cwd, privateMode);
    screen.tell(`Written to ${file}.`);
  },
  help: (rest, { screen }) => screen.tell(helpFor(rest.replace(/^\//u, ""))),
};

async function about(
  eventType: "uninvite" | "grantFloor" | "revokeFloor",
  rest: string,
  { talk }: Means,
): Promise<void> {
  const { person, rest: reason } = somebody(rest, talk);
  await talk.conversation.send({ eventType, to: { speakerUri: person.speakerUri }, ...(reason && { reason }) });
}

function somebody(text: string, { people }: Talk): { person: Person; rest: string } {
  const named = namedIn(text, people.others());
  if ("problem" in named) throw new Error(named.problem);
  return named;
}

function waiting({ questions }: Talk): Question {
  const question = questions.newest(Date.now());
  if (question === undefined) throw new Error("No question waits for you.");
  return question;
}

/** Said aloud for everyone, and in its feature for whoever asked and does not want to guess. */
export function answer(question: Question, values: readonly string[], { outbox }: Pick<Talk, "outbox">): void {
  const text = answerWords(question.options, values);
  const features = { interactionReply: replyFeature(question.id, values) };
  outbox.say({ text, to: question.sender, isWhisper: question.isWhisper, features }, `/answer ${text}`);
}

function countIn(text: string): number {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw new Error(`${text} is no number.`);
}

/** An event or an envelope, sent as it stands: the floor judges it. */
function documentIn(json: string): object {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`That is no JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function helpFor(name: string): string {
  const command: Command | undefined = name === "" ? undefined : commandNamed(name.toLowerCase());
  if (name !== "" && command === undefined) throw new Error(`There is no /${name}: /help lists what there is.`);
  if (command !== undefined) return `${command.usage}  ${command.does}${aliasesOf(command)}`;
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const list = commands.map(({ usage, does }) => `${usage.padEnd(width)}  ${does}`);
  return ["Type to speak to everyone; @NAME text speaks to one, publicly. Tab completes.", ...list].join("\n");
}

function aliasesOf({ aliases = [] }: Command): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}
