// The bundle has no types of its own: it is the library, and its `create` knows all of it without being told.
declare module "mathjs/lib/browser/math.js" {
  import type { ConfigOptions, MathJsInstance } from "mathjs";

  const mathjs: { create: (config: ConfigOptions) => MathJsInstance };
  export default mathjs;
}
