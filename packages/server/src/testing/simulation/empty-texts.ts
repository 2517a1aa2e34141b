const mandatory = ["speakerUri", "serviceUrl", "organization", "conversationalName", "synopsis"];

type Sent = { openFloor?: { conversation: { conversants?: { identification: Record<string, unknown> }[] } } };

/** I14, D40: no received envelope has a conversant with an empty mandatory text. */
export function emptyTexts(received: readonly { speakerUri: string; text: string }[]): readonly string[] {
  return received.flatMap(({ speakerUri, text }) => {
    const { openFloor } = JSON.parse(text) as Sent;
    return (openFloor?.conversation.conversants ?? []).flatMap(({ identification }) =>
      mandatory
        .filter((key) => String(identification[key] ?? "").trim() === "")
        .map((key) => `I14: ${speakerUri} got an empty ${key} of ${identification.speakerUri}`),
    );
  });
}
