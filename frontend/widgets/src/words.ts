/** Values of the API as people read them: the same words and digits as kgraph's pages. */
import type { Entry, Implementation } from './data.ts';

const CODES: Record<string, string> = {
  NO_PUBLIC_SOURCE: 'no public source',
  NO_INSTALL_RECIPE: 'no install recipe',
  LICENSE_UNKNOWN: 'licence unknown',
};

const LEVELS: Record<string, string> = {
  REPORTED: 'Reported by its source; not independently reproduced.',
  REPRODUCIBLE: 'Public source, complete identity and raw evidence; not rerun here.',
  VERIFIED: 'A controlled rerun by this catalogue passed.',
  REPLICATED: 'Two independent runners agree.',
};

/** A code such as `RETRACTION` in words. */
export const showCode = (code: string): string => CODES[code] ?? code.replaceAll('_', ' ').toLowerCase();

/** An evidence level as a word: `Reported`. */
export const showLevel = (level: string): string => level.charAt(0) + level.slice(1).toLowerCase();

/** What an evidence level means, in one sentence. */
export const explainLevel = (level: string): string => LEVELS[level] ?? showCode(level);

/** The day of an instant, in UTC: `2025-06-27`. */
export const showDate = (instant: string): string => new Date(instant).toISOString().slice(0, 10);

/** An instant to the minute: `2025-06-27 09:20 UTC`. */
export const showInstant = (instant: string | Date): string =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** What is measured: `median latency`. */
export const showMetric = ({ name, statistic }: { name: string; statistic: string | null }): string =>
  (statistic ? `${statistic} ${name}` : name).replaceAll('_', ' ');

/** Sizes of axes on one line: `hidden = 4096 · tokens = 1024`. */
export const showAxes = (axes: readonly { name: string; value: number }[]): string =>
  axes.map(({ name, value }) => `${name} = ${value}`).join(' · ');

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `1 run`, `1,649 runs`. */
export const showCount = (count: number, one: string): string => `${showInteger(count)} ${one}${count === 1 ? '' : 's'}`;

/** An integer with thousands apart: `128,256`. */
export const showInteger = (value: number): string => group(String(value));

/** A ratio, two decimals and the sign: `17.75×`. */
export const showRatio = (ratio: number): string => `${group(toFixed(ratio, 2))}×`;

/** A percentage, one decimal: `12.5 %`. */
export const showPercent = (percent: number): string => `${toFixed(percent, 1)} %`;

/** How a run compares with the baseline: `1.19× faster`; null where there is none. */
export function showSpeedup({ isBaseline, speedupOverBaseline: speedup, unit }: Entry): string | null {
  if (isBaseline) return 'baseline';
  if (speedup === null) return null;
  const [better, worse] = unit !== null && unit in EXPONENTS ? ['faster', 'slower'] : ['better', 'worse'];
  const shown = showRatio(speedup);
  if (shown === showRatio(1)) return 'equal';
  return speedup > 1 ? `${shown} ${better}` : `${showRatio(1 / speedup)} ${worse}`;
}

/** Whether an implementation can be used today, or why not. */
export const showUse = ({ deployability: { eligible, reasons } }: Implementation): string =>
  eligible ? 'usable today' : reasons.map(showCode).join(', ');

const EXPONENTS: Record<string, number> = { ns: 0, us: 3, µs: 3, μs: 3, ms: 6, s: 9 };
const SHOWN: readonly [string, number][] = [['ns', 0], ['µs', 3], ['ms', 6], ['s', 9]];
const SIGNS: Record<string, string> = {
  tokens_s: 'tokens/s',
  samples_s: 'samples/s',
  queries_s: 'queries/s',
  gb_s: 'GB/s',
  gbps: 'GB/s',
  tb_s: 'TB/s',
  tflops: 'TFLOP/s',
  gflops: 'GFLOP/s',
  percent: '%',
  ratio: '',
  none: '',
};

/** Round values on an axis, each told from the next: `14 ms`, `14.5 ms`. Measured values come as text instead. */
export function showTicks(values: readonly number[], unit: string | null): string[] {
  const shown = values.map((value) => showQuantity(value, unit).replace(/\.0(?=$|\s)/, ''));
  if (new Set(shown).size === shown.length) return shown;
  // One decimal does not tell them apart: as many digits as do, in the unit of the largest.
  const largest = Math.max(...values);
  const [number = '', ...signs] = showQuantity(largest, unit).split(' ');
  const read = Number(number.replaceAll(',', ''));
  const scale = read ? 10 ** Math.round(Math.log10(largest / read)) : 1;
  const sign = signs.join(' ');
  for (let digits = 2; ; digits += 1) {
    const close = values.every((value) => {
      const [wanted, rounded] = [value / scale, Number((value / scale).toPrecision(digits))];
      return Math.abs(wanted - rounded) <= 1e-9 * Math.max(Math.abs(wanted), Math.abs(rounded));
    });
    if (close || digits === 12) return values.map((value) => `${toGeneral(value / scale, digits)} ${sign}`.trim());
  }
}

/** A value with its unit, for axes: `13.8 ms`. */
export function showQuantity(value: number, unit: string | null): string {
  const exponent = unit === null ? undefined : EXPONENTS[unit];
  if (exponent !== undefined) {
    let shown = '';
    for (const [sign, power] of SHOWN) {
      const number = toFixed(value * 10 ** (exponent - power), 1);
      shown = `${number} ${sign}`;
      if (Math.abs(Number(number)) < 1000) break;
    }
    return shown;
  }
  const number = Math.abs(value) >= 1 ? group(toFixed(value, 1)) : toGeneral(value, 4);
  const sign = unit === null ? '' : (SIGNS[unit] ?? unit);
  return sign ? `${number} ${sign}` : number;
}

function group(number: string): string {
  const [whole = '', fraction] = number.split('.');
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

/** Decimals as the server rounds them: a tie, which `Number.toFixed` rounds up, goes to the even digit. */
function toFixed(value: number, digits: number): string {
  const shown = value.toFixed(digits);
  const [whole = '', rest = ''] = value.toFixed(Math.min(digits + 60, 100)).split('.');
  const isTie = /^50*$/.test(rest.slice(digits));
  const cut = digits > 0 ? `${whole}.${rest.slice(0, digits)}` : whole;
  return isTie && Number(cut.at(-1)) % 2 === 0 ? cut : shown;
}

/** As many significant digits as told apart, without zeros at the end; an exponent where it is far from 1. */
function toGeneral(value: number, digits: number): string {
  if (value === 0) return '0';
  const [mantissa = '', power = '0'] = value.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  const trim = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (exponent < -4 || exponent >= digits) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${trim(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return trim(toFixed(value, Math.max(digits - 1 - exponent, 0)));
}
