/** What keys and commands reach inside the open conversation. */
export type PageHandle = {
  compose?: () => void;
  whisper?: (speakerUri?: string) => void;
  jump?: (seq: number) => void;
  toggleStrip?: () => void;
  togglePanel?: () => void;
};
