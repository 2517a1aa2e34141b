/** Actions of the open conversation for shortcuts and commands. */
export type PageHandle = {
  compose?: () => void;
  whisper?: (speakerUri?: string) => void;
  jump?: (seq: number) => void;
  toggleStrip?: () => void;
  togglePanel?: () => void;
};
