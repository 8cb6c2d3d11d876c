/** From values to places on a drawing, and the round values beside its axes: the same as on kgraph's pages. */
import { showTicks } from './words.ts';

export interface Tick {
  at: number;
  label: string;
}

const MAX_TICKS = 6;
// A wider range than this hides its lower part on a linear axis.
const LOG_FROM = 6;
const DAY = 86_400_000;
const SHORTEST = 14 * DAY;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Maps values to places between two ends of a drawing. */
export class Scale {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
  readonly #start: number;
  readonly #end: number;

  constructor(low: number, high: number, start: number, end: number, isLog = false) {
    this.low = low;
    this.high = high;
    this.isLog = isLog;
    this.#start = start;
    this.#end = end;
  }

  /** Where a value lies, to a tenth of a unit. */
  place(value: number): number {
    const bend = this.isLog ? Math.log : (one: number) => one;
    const share = (bend(value) - bend(this.low)) / (bend(this.high) - bend(this.low));
    return Math.round((this.#start + share * (this.#end - this.#start)) * 10) / 10;
  }

  /** Round values of the range, with labels in the unit. */
  ticks(unit: string | null): Tick[] {
    const values = this.isLog ? logValues(this.low, this.high) : roundValues(this.low, this.high);
    if (values.length === 0) return [];
    return showTicks(values, unit).map((label, index) => ({ at: this.place(values[index] ?? 0), label }));
  }
}

/** A scale that holds the values with some air; logarithmic where they span a wide range. */
export function scaleValues(values: readonly number[], start: number, end: number): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low > 0 && high / low >= LOG_FROM) return new Scale(low / 1.25, high * 1.25, start, end, true);
  const air = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  // No axis runs below zero for values that cannot.
  return new Scale(low >= 0 ? Math.max(low - air, 0) : low - air, high + air, start, end);
}

/** A logarithmic scale that holds the values, all above zero. */
export const scaleLog = (values: readonly number[], start: number, end: number, air: number): Scale =>
  new Scale(Math.min(...values) / air, Math.max(...values) * air, start, end, true);

/** A scale of milliseconds since 1970 that holds the instants. */
export function scaleInstants(instants: readonly number[], start: number, end: number): Scale {
  const [low, high] = [Math.min(...instants), Math.max(...instants)];
  // Runs of one afternoon would stand on an axis of minutes, which says nothing.
  const air = Math.max((high - low) * 0.03, (SHORTEST - (high - low)) / 2);
  return new Scale(low - air, high + air, start, end);
}

/** First days of months, or days where the range is short, at most 6. */
export function tickInstants(scale: Scale): Tick[] {
  const [low, high] = [new Date(scale.low), new Date(scale.high)];
  const first = low.getUTCFullYear() * 12 + low.getUTCMonth();
  const months = high.getUTCFullYear() * 12 + high.getUTCMonth() - first;
  let instants: number[];
  let show: (date: Date) => string;
  if (months > 1) {
    const step = [1, 2, 3, 6, 12, 24, 60].find((one) => months / one <= MAX_TICKS) ?? 120;
    instants = range(first, first + months)
      .filter((index) => index % step === 0)
      .map((index) => Date.UTC(Math.floor(index / 12), index % 12));
    show = (date) => (step % 12 === 0 ? '' : `${MONTHS[date.getUTCMonth()]} `) + date.getUTCFullYear();
  } else {
    const days = Math.floor((scale.high - scale.low) / DAY) + 1;
    const apart = [1, 2, 5, 10].find((one) => days / one <= MAX_TICKS) ?? 20;
    const start = Date.UTC(low.getUTCFullYear(), low.getUTCMonth(), low.getUTCDate());
    instants = range(1, days)
      .filter((index) => (index - 1) % apart === 0)
      .map((index) => start + index * DAY);
    show = (date) => {
      const day = `${String(date.getUTCDate()).padStart(2, '0')} ${MONTHS[date.getUTCMonth()]}`;
      return days > MAX_TICKS ? `${day} ${date.getUTCFullYear()}` : day;
    };
  }
  return instants
    .filter((instant) => scale.low <= instant && instant <= scale.high)
    .map((instant) => ({ at: scale.place(instant), label: show(new Date(instant)) }));
}

/** The ticks that stand at least `apart` from the one before; the first and the last stay. */
export function thinTicks(ticks: readonly Tick[], apart: number): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    if (!before || Math.abs(tick.at - before.at) >= apart) kept.push(tick);
  }
  const last = ticks.at(-1);
  if (last && kept.at(-1) !== last) {
    if (kept.length > 1) kept.pop();
    kept.push(last);
  }
  return kept;
}

function roundValues(low: number, high: number): number[] {
  const wide = high - low;
  const power = 10 ** Math.floor(Math.log10(wide / (MAX_TICKS - 1)));
  const step = ([1, 2, 2.5, 5].find((one) => wide / (one * power) <= MAX_TICKS) ?? 10) * power;
  return range(Math.ceil(low / step), Math.floor(high / step)).map((index) => index * step);
}

function logValues(low: number, high: number): number[] {
  const powers = range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)));
  let shown: number[] = [];
  for (const factors of [[1, 2, 5], [1, 3], [1]]) {
    shown = powers
      .flatMap((power) => factors.map((factor) => factor * 10 ** power))
      .filter((value) => low <= value && value <= high);
    if (shown.length <= MAX_TICKS) return shown;
  }
  const every = Math.ceil(shown.length / MAX_TICKS);
  return shown.filter((_, index) => index % every === 0);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
