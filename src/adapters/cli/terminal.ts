/** The terminal of a command. Texts include their line ends. */
export interface Terminal {
  /** For scripts. */
  out(text: string): void;
  /** For people. */
  err(text: string): void;
  exit(code: number): never;
}
