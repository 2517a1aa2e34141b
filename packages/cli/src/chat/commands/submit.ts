import { choiceIn } from "@plenary/transcript";
import { messageOf } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { addresseeOf } from "../participants.ts";
import type { ChatSession, Screen } from "../session.ts";
import { answerQuestion, type CommandContext, commandHandlers } from "./command-handlers.ts";
import { type CommandName, parseInput } from "./commands.ts";

/** `leave`: the chat ends, the conversation goes on. `part`: the person is no longer in the conversation. */
export type SubmitOutcome = "stay" | "leave" | "part";

/** Commands that print a result, so the command itself is shown above it. */
const reports: ReadonlySet<CommandName> = new Set(["who", "discover", "log", "raw", "export", "help"]);

const wordsMax = 100_000;

/** Runs one line of input. On an error the message is shown and the text returns to the input field. */
export async function submit(text: string, session: ChatSession, screen: Screen, io: Io): Promise<SubmitOutcome> {
  const typed = parseInput(text);
  try {
    switch (typed.kind) {
      case "words":
        if (typed.text !== "") say(typed.text, session);
        return "stay";
      case "unknown": {
        const hint = typed.meant === undefined ? "/help lists the commands." : `did you mean /${typed.meant}?`;
        throw new Error(`Unknown command, nothing was sent: ${hint} To send it as text, start with //.`);
      }
      case "command":
        return await perform(typed.name, typed.rest, { session, screen, io });
    }
  } catch (problem) {
    screen.showMessage(messageOf(problem), "problem");
    // A command without its argument gets a space, so that the person can type on.
    screen.restoreInput(typed.kind === "command" && typed.rest === "" ? `${text.trimEnd()} ` : text);
    return "stay";
  }
}

async function perform(name: CommandName, rest: string, context: CommandContext): Promise<SubmitOutcome> {
  switch (name) {
    case "quit":
      return "leave";
    case "leave":
      await context.session.conversation.leave();
      return "part";
    case "close":
      await context.session.conversation.close();
      context.screen.showMessage(
        `Closed for everyone. To read it later: plenary export ${context.session.conversation.id}`,
      );
      return "part";
    default:
      if (reports.has(name)) context.screen.echo?.(`/${name} ${rest}`.trim());
      await commandHandlers[name](rest, context);
      return "stay";
  }
}

function say(text: string, session: ChatSession): void {
  if (text.length > wordsMax) throw new Error(`The text is longer than ${wordsMax} characters: send it in parts.`);
  if (session.connection === "gone") throw new Error("You are no longer in this conversation, so it was not sent.");
  const question = session.question();
  const addressee = addresseeOf(text, session.participants.others());
  const choice = question === undefined || addressee !== undefined ? undefined : choiceIn(question, text);
  if (choice !== undefined && "lack" in choice) throw new Error(choice.lack);
  if (question !== undefined && choice !== undefined) answerQuestion(question, choice.values, session);
  else session.say({ text, ...(addressee !== undefined && { to: addressee }) });
}
