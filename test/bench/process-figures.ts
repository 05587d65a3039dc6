import { readFileSync } from 'node:fs';

/* What Linux tells about processes (proc(5)); NaN where the system does not tell. */

const MICROSECONDS_PER_TICK = 10_000;

/** The CPU time that a process has used, in microseconds. */
export function cpuMicrosOf(pid: number): number {
  // The name in parentheses may hold anything; the first field after it is the third of all. 14: utime, 15: stime.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) * MICROSECONDS_PER_TICK;
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
