export function isStale(root?: string): boolean;
export function build(): number;
