import type { ServerContext } from "../context.ts";
import type { NemoOutput, Renderer } from "./output.ts";

/** Output while no client of a person listens. */
export type OfflineBuffer = {
  add(output: readonly NemoOutput[]): void;
  /** Collects drafts, which are not in the log. */
  begin(): void;
  /** Returns the output. */
  end(): NemoOutput[];
};

type BufferOptions = { server: ServerContext; conversationId: string; speakerUri: string; renderer: Renderer };

const charsMax = 65_536;

/** Beyond the limit, drafts are no longer collected: the log has their finished utterances. */
export function createOfflineBuffer({ server, conversationId, speakerUri, renderer }: BufferOptions): OfflineBuffer {
  let kept: NemoOutput[] = [];
  let chars = 0;
  let stop = nothing;
  const add = (output: readonly NemoOutput[]) => {
    if (output.length === 0 || chars > charsMax) return;
    kept.push(...output);
    chars += JSON.stringify(output).length;
  };
  return {
    add,
    begin() {
      stop = server.onDraft(conversationId, (draft, audience) => {
        if (!audience.includes(speakerUri)) return;
        add(renderer.draft(draft));
        if (chars > charsMax) stop();
      });
    },
    end() {
      stop();
      const output = kept;
      [kept, chars, stop] = [[], 0, nothing];
      return output;
    },
  };
}

function nothing(): void {}
