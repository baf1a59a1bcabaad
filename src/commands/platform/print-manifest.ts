import Table from 'cli-table3';
import type { ReplayManifest, ReplayVariant } from '../../platform/parse-replay-manifest.js';
import type { Terminal } from '../program.js';
import { printJson } from './report.js';

/** Prints a playlist: as it came, as JSON, or the table of its variants, in which no token is shown. */
export function printManifest(
  terminal: Terminal,
  manifest: ReplayManifest & { ok: true; attempts: number },
  { json, raw }: { json?: boolean; raw?: boolean },
): void {
  if (raw) {
    terminal.out(manifest.raw.trimEnd());
  } else if (json) {
    printJson(terminal, manifest);
  } else {
    const { variants, segments, url } = manifest;
    const { origin, pathname } = new URL(url);
    terminal.out(`manifest  ${origin}${pathname}`);
    if (variants.length > 0) terminal.out(variantTable(variants));
    if (segments.length > 0) terminal.out(`segments  ${segments.length}, ${duration(manifest)} s`);
    if (variants.length + segments.length === 0) terminal.out('it has neither variants nor segments');
  }
}

function variantTable(variants: readonly ReplayVariant[]): string {
  const table = new Table({
    head: ['variant', 'resolution', 'codecs', 'peak', 'average', 'frames/s'],
    style: { head: [], border: [], compact: true },
  });
  for (const { type, resolution, codecs, bandwidth, averageBandwidth, frameRate } of variants) {
    table.push([
      type,
      resolution ? `${resolution.width}×${resolution.height}` : '?',
      codecs.join(' ') || '?',
      bitRate(bandwidth),
      bitRate(averageBandwidth),
      frameRate === undefined ? '?' : String(frameRate),
    ]);
  }
  return table.toString();
}

function bitRate(bitsPerSecond: number | undefined): string {
  if (bitsPerSecond === undefined) return '?';
  return bitsPerSecond >= 1e6
    ? `${(bitsPerSecond / 1e6).toFixed(2)} Mbit/s`
    : `${Math.round(bitsPerSecond / 1e3)} kbit/s`;
}

function duration({ segments }: ReplayManifest): number {
  const total = segments.reduce((sum, { durationS = 0 }) => sum + durationS, 0);
  return Math.round(total * 1000) / 1000;
}
