export interface MediaInfo {
  readonly kind: 'video' | 'audio' | 'image';
  readonly mediaType: string;
  readonly durationSeconds: number | null;
  /** Width and height as displayed: after rotation, with square pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** Frames per second; null if there are fewer than two frames. */
  readonly frameRate: number | null;
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Bits per channel; null for another depth, or if the codec does not say. */
  readonly colorDepth: 8 | 10 | null;
  /** End of the last frame. Sound may be longer. */
  readonly videoDurationSeconds: number | null;
}

export const NOTHING_KNOWN = {
  durationSeconds: null,
  width: null,
  height: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  colorDepth: null,
  videoDurationSeconds: null,
} satisfies Partial<MediaInfo>;
