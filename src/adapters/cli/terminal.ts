/** The terminal of a command. Texts include their line ends. */
export interface Terminal {
  /** For scripts. */
  out(text: string): void;
  /** For people. */
  err(text: string): void;
  exit(code: number): never;
  /** The process ends with this code when all is written and done. */
  exitCode(code: number): void;
}
