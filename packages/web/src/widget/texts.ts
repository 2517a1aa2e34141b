const en = {
  connecting: "Connecting …",
  reconnecting: "Connection lost. Trying again …",
  gone: "You are not in this conversation any more.",
  closed: "This conversation is closed.",
  noAccess: "This needs an `invite` or a `token`.",
  unreachable: (origin: string) =>
    `The floor cannot be reached. For a page of another site, start it with --allow-origin ${origin}`,
  field: "Your message",
  send: "Send",
  conversation: "Conversation",
  answering: (name: string) => `${name} is answering`,
  whisper: "private",
  unsent: { waiting: "not sent yet", sending: "sending", taken: "waiting for the convener", refused: "not sent" },
};

const de: typeof en = {
  connecting: "Verbindung wird aufgebaut …",
  reconnecting: "Verbindung unterbrochen. Neuer Versuch …",
  gone: "Sie sind nicht mehr in diesem Gespräch.",
  closed: "Dieses Gespräch ist beendet.",
  noAccess: "Hier fehlt `invite` oder `token`.",
  unreachable: (origin) =>
    `Der Server ist nicht erreichbar. Für die Seite einer anderen Domain: --allow-origin ${origin}`,
  field: "Ihre Nachricht",
  send: "Senden",
  conversation: "Gespräch",
  answering: (name) => `${name} antwortet`,
  whisper: "privat",
  unsent: {
    waiting: "noch nicht gesendet",
    sending: "wird gesendet",
    taken: "wartet auf den Moderator",
    refused: "nicht gesendet",
  },
};

export type WidgetTexts = typeof en;

export function textsFor(language: string): WidgetTexts {
  return language.toLowerCase().startsWith("de") ? de : en;
}
