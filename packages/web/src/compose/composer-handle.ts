/** What other parts of the page may ask of the composer. */
export type ComposerHandle = {
  mention(speakerUri: string): void;
  /** To somebody; without a name it asks whom. */
  whisper(speakerUri?: string): void;
  focus(): void;
  insert(text: string): void;
};
