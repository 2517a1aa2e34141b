import { choiceIn } from "@plenary/transcript";
import type { Io } from "../../io.ts";
import { addresseeOf } from "../participants.ts";
import type { ChatSession, Screen } from "../session.ts";
import { answerQuestion, type CommandContext, commandHandlers } from "./command-handlers.ts";
import { type CommandName, parseInput } from "./commands.ts";

/** `part`: there is nothing to come back to. */
export type SubmitOutcome = "stay" | "leave" | "part";

/** Those that answer at once, here. */
const reports: ReadonlySet<CommandName> = new Set(["who", "discover", "log", "raw", "export", "help"]);

/** More in one utterance is surely not meant. */
const wordsMax = 100_000;

/** Does what was typed. Whatever is in the way is told, and the words come back: nothing that was typed is lost. */
export async function submit(text: string, session: ChatSession, screen: Screen, io: Io): Promise<SubmitOutcome> {
  const typed = parseInput(text);
  try {
    switch (typed.kind) {
      case "words":
        if (typed.text !== "") say(typed.text, session);
        return "stay";
      case "unknown": {
        const hint = typed.meant === undefined ? "/help lists what there is." : `did you mean /${typed.meant}?`;
        throw new Error(`This is no command, and was not said: ${hint} To say it all the same, begin with //.`);
      }
      case "command":
        return await perform(typed.name, typed.rest, { session, screen, io });
    }
  } catch (problem) {
    screen.showMessage(problem instanceof Error ? problem.message : String(problem), "problem");
    // What lacks something is completed by typing on.
    screen.restoreInput(typed.kind === "command" && typed.rest === "" ? `${text.trimEnd()} ` : text);
    return "stay";
  }
}

async function perform(name: CommandName, rest: string, context: CommandContext): Promise<SubmitOutcome> {
  switch (name) {
    case "quit":
      return "leave";
    case "leave":
      await context.session.conversation.send({ eventType: "bye" });
      return "part";
    case "close":
      await context.session.conversation.command("close");
      context.screen.showMessage(
        `Closed for everyone. It can still be read: plenary export ${context.session.conversation.id}`,
      );
      return "part";
    default:
      if (reports.has(name)) context.screen.echo?.(`/${name} ${rest}`.trim());
      await commandHandlers[name](rest, context);
      return "stay";
  }
}

function say(text: string, session: ChatSession): void {
  if (text.length > wordsMax) throw new Error(`That is longer than ${wordsMax} characters: say it in parts.`);
  if (session.connection === "gone")
    throw new Error("You are not in this conversation any more: nobody would hear it.");
  const question = session.questions.newest(Date.now());
  const addressee = addresseeOf(text, session.participants.others());
  const choice = question === undefined || addressee !== undefined ? undefined : choiceIn(question, text);
  if (choice !== undefined && "lack" in choice) throw new Error(choice.lack);
  if (question !== undefined && choice !== undefined) answerQuestion(question, choice.values, session);
  else session.outbox.say({ text, ...(addressee !== undefined && { to: addressee }) });
}
