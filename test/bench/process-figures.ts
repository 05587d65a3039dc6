import { readFileSync } from 'node:fs';

/* What Linux tells about processes (proc(5)); NaN where the system does not tell. */

const MICROSECONDS_PER_TICK = 10_000;

/** The CPU time that a process has used, in microseconds. */
export function cpuMicrosOf(pid: number): number {
  const [own] = ticksOf(pid);
  return own * MICROSECONDS_PER_TICK;
}

/** The CPU time that a process, those that it has started, and those of them that have ended have used, in microseconds. */
export function cpuMicrosOfFamily(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  const [own, ended] = ticksOf(pid);
  const running = children.map((child) => ticksOf(Number(child))[0]).filter((ticks) => !Number.isNaN(ticks));
  return running.reduce((sum, ticks) => sum + ticks, own + ended) * MICROSECONDS_PER_TICK;
}

/** What a process has used itself, and those of its children that have ended. */
function ticksOf(pid: number): [own: number, ended: number] {
  // The name in parentheses may hold anything; the first field after it is the third of all.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  const [user = Number.NaN, system = Number.NaN, endedUser = Number.NaN, endedSystem = Number.NaN] = fields
    .slice(14 - 3)
    .map(Number);
  return [user + system, endedUser + endedSystem];
}

/** The CPU time that all programs have used together, with what the machine's host took away, in microseconds. */
export function cpuMicrosOfAll(): number {
  const ticks = /^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = Number.NaN, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softirq + steal) * MICROSECONDS_PER_TICK;
}

/** The memory that a process holds, in bytes. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1]) * 1024;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
