// The bundle has no types of its own. Its `create` includes all of mathjs without a list of factories.
declare module "mathjs/lib/browser/math.js" {
  import type { ConfigOptions, MathJsInstance } from "mathjs";

  const mathjs: { create: (config: ConfigOptions) => MathJsInstance };
  export default mathjs;
}
