import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { floorOption, speakerUriOf, storeOption } from "../options.ts";
import type { AddWebhookOptions, WebhooksOptions } from "./webhooks.ts";

export function addWebhooks(program: Command, io: Io, finish: (exitCode: ExitCode) => void): void {
  const webhooks = program
    .command("webhooks")
    .summary("manage the webhooks of a floor")
    .description("Adds, lists, tests and removes addresses that get entries of the log from a running floor.")
    .helpCommand(false)
    .addHelpText("after", webhooksHelp);
  const verb = (name: string, summary: string, json: string) =>
    webhooks
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .addOption(floorOption())
      .addOption(storeOption())
      .option("--json", json, false);
  verb("add", "add a webhook and print its secret", "one line: the webhook, secret included")
    .argument("<url>", "where the floor sends entries, such as https://receiver.example/hook")
    .option("--kind <kind>", "a kind of entries, such as event; repeatable; default: all", collect)
    .option("--event-type <type>", "a type of events, such as utterance; repeatable", collect)
    .option("--conversation <id>", "one conversation; default: all, for the operator")
    .option("--speaker <uri>", "read the log as this conversant", speakerUriOf)
    .option("--label <text>", "a label for the list")
    .action(async (url: string, options: AddWebhookOptions) => {
      const { addWebhook } = await import("./webhooks.ts");
      finish(await addWebhook(url, options, io));
    });
  verb("list", "list webhooks with their state", "one line for each webhook").action(
    async (options: WebhooksOptions) => {
      const { listWebhooks } = await import("./webhooks.ts");
      finish(await listWebhooks(options, io));
    },
  );
  verb("test", "send a ping to a webhook now", "one line: delivered, status, failure")
    .argument("<id>", "as plenary webhooks list shows it")
    .action(async (id: string, options: WebhooksOptions) => {
      const { testWebhook } = await import("./webhooks.ts");
      finish(await testWebhook(id, options, io));
    });
  verb("remove", "remove a webhook and its dead letters", "one line: id, removed")
    .argument("<id>", "as plenary webhooks list shows it")
    .action(async (id: string, options: WebhooksOptions) => {
      const { removeWebhook } = await import("./webhooks.ts");
      finish(await removeWebhook(id, options, io));
    });
}

function collect(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

const webhooksHelp = `
Examples:
  plenary webhooks add https://receiver.example/hook --event-type utterance
  plenary webhooks list
  plenary webhooks test 5v0c2m8q1x7k3j9d
  plenary webhooks remove 5v0c2m8q1x7k3j9d

The secret is printed once, alone on stdout. The receiver checks the signature with it (Standard Webhooks).
Exit code: 0 done, 1 not delivered or unknown, 2 wrong usage, or no floor that accepts your token.`;
