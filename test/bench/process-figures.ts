import { readdirSync, readFileSync } from 'node:fs';

/* Figures of processes that Linux reports (proc(5)); NaN on other systems. */

const MICROSECONDS_PER_TICK = 10_000;

/** The CPU time that the threads of a process have used, in microseconds: by the scheduler's clock, which is exact, or else by ticks of 10 ms. */
export function cpuMicrosOf(pid: number): number {
  const nanoseconds = threadsOf(pid).reduce(
    (sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
    0,
  );
  return nanoseconds > 0 ? nanoseconds / 1000 : ticksOf(pid)[0] * MICROSECONDS_PER_TICK;
}

/** The CPU time that a process and its children, running or ended, have used, in microseconds. */
export function cpuMicrosOfFamily(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  const [own, ended] = ticksOf(pid);
  const running = children.map((child) => ticksOf(Number(child))[0]).filter((ticks) => !Number.isNaN(ticks));
  return running.reduce((sum, ticks) => sum + ticks, own + ended) * MICROSECONDS_PER_TICK;
}

/** The ticks that a process has used itself, and those that its ended children have used. */
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

/** The CPU time that all programs have used, and the time that the host took away, in microseconds. */
export function cpuMicrosOfAll(): number {
  const ticks = /^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = Number.NaN, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softirq + steal) * MICROSECONDS_PER_TICK;
}

/** The resident memory of a process, in bytes. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1]) * 1024;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
