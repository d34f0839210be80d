import { resolve } from 'node:path';

/** Makes ffmpeg read from a file and nothing else: a clip from outside must not make it open an address. */
export function fileInput(path: string): readonly string[] {
  return ['-protocol_whitelist', 'file', '-i', `file:${resolve(path)}`];
}
