/** Where a command is typed in. Texts come as they are, with the ends of their lines. */
export interface Terminal {
  /** For scripts. */
  out(text: string): void;
  /** For people. */
  err(text: string): void;
  exit(code: number): never;
}
